// A column of labels among the inputs of a machine that learns without a target.
#pragma once

#include <optional>

#include "data/columns.hpp"

namespace mercer::data {

// One line about the column that looks like labels, where there is one beside others: text, or a few whole numbers many
// times in the last column or under such a name.
std::optional<std::string> label_remark(const Points& x);

// A column of texts or whole numbers of which there are few different ones, each often: what could be the target.
struct LikelyLabels {
  std::string name;  // or its number from 1
  std::size_t classes;
};
std::optional<LikelyLabels> likely_labels(const Points& x);

}  // namespace mercer::data
