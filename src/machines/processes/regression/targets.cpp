#include "machines/processes/regression/targets.hpp"

#include "base/at.hpp"

namespace mercer::detail {

double spread_of(const Matrix& y, Trend mean) {
  double total = 0;
  for (Index t = 0; t < y.cols(); ++t) {
    double sum = 0, squares = 0;
    for (Index i = 0; i < y.rows(); ++i) sum += y(i, t);
    const double centre = mean == Trend::none ? 0 : sum / static_cast<double>(y.rows());
    for (Index i = 0; i < y.rows(); ++i) squares += (y(i, t) - centre) * (y(i, t) - centre);
    total += squares / static_cast<double>(y.rows() * y.cols());
  }
  return total;
}

std::vector<Index> telling_targets(const Matrix& y, Trend mean) {
  std::vector<Index> out;
  for (Index t = 0; t < y.cols(); ++t) {
    const double level = mean == Trend::none ? 0 : y(0, t);
    bool constant = true;
    for (Index i = 0; i < y.rows() && constant; ++i) constant = y(i, t) == level;
    if (!constant) out.push_back(t);
  }
  return out;
}

Matrix columns_of(const Matrix& m, const std::vector<Index>& which) {
  Matrix out = Matrix::uninitialized(m.rows(), static_cast<Index>(which.size()));
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index t = 0; t < out.cols(); ++t) out(i, t) = m(i, which[at(t)]);
  }
  return out;
}

}  // namespace mercer::detail
