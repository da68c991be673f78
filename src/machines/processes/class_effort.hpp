// What a Gaussian process of classes takes, what a plain one gives up to end in time, and how it learns from few points
// to all.
#pragma once

#include <optional>
#include <vector>

#include "mercer/machines.hpp"
#include "mercer/machines/gpc.hpp"

namespace mercer::detail {

// n x n numbers at the peak: K and what Newton's method makes of it, for each class where they are coupled.
double class_matrices(bool coupled, Index classes);
Needs class_needs(const GaussianProcessClassifier& config, const Extent& extent);

// Inducing points where all pairs find no room, or would take longer than there is time.
std::optional<Shortcut> class_shortcut(const GaussianProcessClassifier& config, const Settings& given,
                                       const Extent& extent, const Wishes& wishes);

// So many points, and what stands for their K.
struct ClassLevel {
  enum class By { pairs, centres, inducing };
  Index points;
  By by = By::pairs;
};
// Of several classes all points on few centres say more than some of the points do, where they cost no more. With
// inducing points: all pairs of some, then these for a part of the points and for all, drawn again for what was learnt.
std::vector<ClassLevel> class_levels(const GaussianProcessClassifier& config, Index n, bool coupled, bool kernel);

}  // namespace mercer::detail
