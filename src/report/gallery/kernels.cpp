// Three kernels as functions of x.
#include <fmt/format.h>

#include "base/at.hpp"
#include "mercer/evaluate.hpp"
#include "report/gallery/sections.hpp"

namespace mercer::report::gallery {

Json basic_kernels() {
  const Vector at = grid(-3, 3, 181), centres = {-2, -1, 0, 1, 2};
  Json panels = Json::array();
  const std::vector<std::pair<std::string, std::string>> shown = {
      {"linear()", "a straight line through 0"}, {"(1 + linear())^3", "a cubic"}, {"rbf(ell=1)", "a bell at y"}};
  for (const auto& [text, note] : shown) {
    const Matrix values = cross(parse(text), line(at), line(centres));
    Json one = curve(at, {{"label", "k(x, y)"}});
    for (Index j = 0; j < values.cols(); ++j) {
      Vector column;
      for (Index i = 0; i < values.rows(); ++i) column.push_back(values(i, j));
      add_line(one, fmt::format("y = {}", centres[mercer::at(j)]), column, {{"group", j}});
    }
    panels.push_back({{"title", text}, {"note", note}, {"curve", one}});
  }
  return section(
      "kernels", "A kernel is a function of two points",
      {"k(x, y) says how alike x and y are. Held at one y it is a function of x, and every machine here predicts "
       "by a sum of such functions, one at each training point: f(x) = a_1 k(x, x_1) + a_2 k(x, x_2) + ..."},
      {{"basic_kernels",
        "curves",
        "Linear, polynomial, Gaussian",
        "Each line is k(x, y) for one y. What f can be is what sums of these can be: lines, cubics, and for "
        "the Gaussian kernel any continuous function.",
        {{"panels", panels}, {"columns", 3}}}});
}

}  // namespace mercer::report::gallery
