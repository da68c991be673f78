// The named element-wise maps of warp() and weights of scaled().
#pragma once

#include <span>
#include <string_view>

#include "mercer/matrix.hpp"

namespace mercer::detail {

struct ElementMap {
  std::string_view name;
  double (*value)(double);
  double (*slope)(double x);  // d value / dx
  bool (*defined)(double);
  std::string_view needs;  // the words for `defined`
};
std::span<const ElementMap> element_maps();
const ElementMap* find_map(std::string_view name);

struct Weight {
  std::string_view name;
  double (*value)(VectorView x);
  void (*gradient)(VectorView x, VectorRef g);
};
std::span<const Weight> weights();  // of a whole vector; a map serves as the weight of one column
const Weight* find_weight(std::string_view name);

}  // namespace mercer::detail
