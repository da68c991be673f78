#include "workflow/usual_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/at.hpp"
#include "points/objects.hpp"
#include "points/rep.hpp"

namespace mercer::workflow {

namespace {

constexpr Index kFewColumns = 8;  // that may have the same bounds by chance

bool is_table_of_numbers(const Points& x) {
  return x.domain().kind == "reals" && !x.column_names().empty() && !is_sparse(x);
}

// Pixels, answers from 1 to 5, yes and no: whole numbers in all columns, and at least half of those that vary between
// the same two. A column that hardly varies says little there; standardised, it would say as much as any other.
bool on_one_scale(const Points& x) {
  const DenseRows rows = dense_rows(x);
  const MatrixView values = rows.values;
  if (values.cols() < kFewColumns || values.rows() == 0) return false;
  Vector low(values.row(0), values.row(0) + values.cols()), high = low;
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index k = 0; k < values.cols(); ++k) {
      const double value = values(i, k);
      if (value != std::floor(value)) return false;
      low[at(k)] = std::min(low[at(k)], value);
      high[at(k)] = std::max(high[at(k)], value);
    }
  }
  std::map<std::pair<double, double>, std::size_t> bounds;
  std::size_t vary = 0, most = 0;
  for (std::size_t k = 0; k < low.size(); ++k) {
    if (low[k] == high[k]) continue;
    ++vary;
    most = std::max(most, ++bounds[{low[k], high[k]}]);
  }
  return 2 * most >= vary && vary > 0;
}

}  // namespace

Scaling::Kind usual_scaling(const Points& x) {
  const Points rows = elements_of(x).value_or(x);
  return is_table_of_numbers(rows) && !on_one_scale(rows) ? Scaling::Kind::standard : Scaling::Kind::none;
}

std::string scaling_remark(Scaling::Kind kind, bool asked, const Points& x) {
  static const std::vector<std::string> texts = {
      "as they are", "moved to mean 0", "scaled to mean 0 and standard deviation 1", "scaled to the range 0 to 1"};
  std::string remark = "inputs " + texts[static_cast<std::size_t>(kind)];
  if (asked) return remark;
  if (kind != Scaling::Kind::none) return remark + "; `scale=none` leaves them alone";
  const bool told = is_table_of_numbers(elements_of(x).value_or(x));
  return told ? remark + ", whole numbers between the same bounds; `scale=standard` scales them" : remark;
}

}  // namespace mercer::workflow
