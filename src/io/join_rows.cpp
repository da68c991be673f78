#include "io/join_rows.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "points/join.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

Points as_wide(const Points& x, Index columns) {
  if (!is_sparse(x) || sparse_rows(x)->cols == columns) return x;
  SparseMatrix wide = *sparse_rows(x);
  wide.cols = columns;
  return rows(std::move(wide));
}

}  // namespace

Dataset joined(std::vector<Dataset> parts) {
  if (parts.empty()) fail(ErrorKind::shape, "no rows are asked for; give at least one");
  Index columns = 0;
  for (const Dataset& part : parts) columns = std::max(columns, part.points.domain().dimension);
  Dataset out = std::move(parts.front());
  out.points = as_wide(out.points, columns);
  for (std::size_t p = 1; p < parts.size(); ++p) {
    const Dataset& part = parts[p];
    out.points = join(out.points, as_wide(part.points, columns));
    out.target_numbers.insert(out.target_numbers.end(), part.target_numbers.begin(), part.target_numbers.end());
    out.target_texts.insert(out.target_texts.end(), part.target_texts.begin(), part.target_texts.end());
  }
  return out;
}

}  // namespace mercer
