#include "report/matrix_of.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"

namespace mercer::report {

std::vector<Index> evenly(Index n, Index most) {
  const Index count = std::min(n, most);
  std::vector<Index> out(at(count));
  for (Index i = 0; i < count; ++i) out[at(i)] = i * n / count;
  return out;
}

bool has_matrix(const Subject& subject) {
  return subject.model.expansion().parts().kernel.has_value() || (subject.fitted_to && subject.training);
}

Gram matrix_of(const Subject& subject, std::vector<Index> which) {
  const std::optional<Kernel>& k = subject.model.expansion().parts().kernel;
  if (!k) return select(subject.training->K, std::move(which));
  return gram_for(*k, subject.model.parts().scaling.apply(subject.x.select(which)), {});
}

std::vector<Index> clusters_of(const Subject& subject) {
  const Matrix& fitted = subject.model.parts().fitted;
  // Coordinates of mixtures are no numbers of clusters.
  if (!subject.fitted_to || fitted.rows() != subject.x.size() || fitted.cols() != 1) {
    return subject.model.predict_classes(subject.x, subject.how);
  }
  std::vector<Index> out;
  for (Index i = 0; i < fitted.rows(); ++i) out.push_back(static_cast<Index>(fitted(i, 0)));
  return out;
}

namespace {

// The group of each point, and what the groups are called.
struct Groups {
  std::string words;
  std::vector<std::string> names;
  std::vector<Index> of;
};

Groups groups_of(const Subject& subject) {
  if (subject.model.finds_clusters()) return {"by cluster", subject.model.classes(), clusters_of(subject)};
  if (subject.labels.size() == subject.x.size()) return {"by class", subject.labels.classes, subject.labels.of};
  return {};
}

}  // namespace

Ordered ordered(const Subject& subject, Index most) {
  const Index n = subject.x.size();
  Groups groups = groups_of(subject);
  std::vector<Index> order(at(n));
  std::iota(order.begin(), order.end(), Index{0});
  Ordered out{.words = groups.of.empty() ? "as in the data" : groups.words};
  if (!groups.of.empty()) {
    std::ranges::stable_sort(order, {}, [&](Index i) { return groups.of[at(i)]; });
  } else if (subject.y.rows() == n && subject.y.cols() > 0) {
    std::ranges::stable_sort(order, {}, [&](Index i) { return subject.y(i, 0); });
    out.words = "by target";
  }
  for (const Index place : evenly(n, most)) {
    const Index i = order[at(place)], here = static_cast<Index>(out.which.size());
    out.which.push_back(i);
    if (groups.of.empty()) continue;
    const Index group = groups.of[at(i)];
    if (out.groups.empty() || out.groups.back() != group) {
      out.blocks.push_back({groups.names[at(group)], {here, here}});
    }
    out.blocks.back().places.end = here + 1;
    out.groups.push_back(group);
  }
  return out;
}

}  // namespace mercer::report
