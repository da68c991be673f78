#include "data/all_pairs.hpp"

#include "base/fail.hpp"
#include "data/columns.hpp"
#include "points/rep.hpp"

namespace mercer::data {

bool holds_distances(const Points& given) {
  const Points x = without_row_names(given);
  if (x.domain().kind != "reals" || x.domain().dimension != x.size() || x.size() < 3 || is_sparse(x)) return false;
  const DenseRows rows = dense_rows(x);
  const MatrixView d = rows.values;
  for (Index i = 0; i < d.rows(); ++i) {
    if (d(i, i) != 0) return false;
    for (Index j = 0; j < i; ++j) {
      if (!(d(i, j) > 0) || d(i, j) != d(j, i)) return false;
    }
  }
  return true;
}

Matrix square_matrix(const Points& given, const std::string& path) {
  const Points x = without_row_names(given);
  if (x.domain().kind != "reals" || x.domain().dimension != x.size()) {
    fail(ErrorKind::shape, "{}: {} rows of {} columns; `kernel=precomputed` takes the square matrix of all pairs", path,
         x.size(), column_count(x));
  }
  return Matrix(dense_rows(x).values);
}

}  // namespace mercer::data
