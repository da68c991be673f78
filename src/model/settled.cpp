#include "model/settled.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "model/packed_products.hpp"

namespace mercer::detail {

std::optional<Matrix> settled_answers(const ModelParts& parts, const Points& x, const Execution& how) {
  const Reading::Row& reading = *parts.reading.operator->();
  const Expansion::Parts& f = parts.f.parts();
  const bool of_f = reading.scores == nullptr && reading.from_kernel == nullptr;
  if (reading.settled == nullptr || !of_f || parts.calibration.kind != Calibration::Kind::none) return std::nullopt;
  if (!f.kernel || f.slope.rows() > 0 || !f.self.empty()) return std::nullopt;
  std::optional<CloseProducts> close = multiply_closely(*f.kernel, x, *f.centres, f.alpha, how);
  if (!close) return std::nullopt;
  std::vector<Index> open;
  for (Index i = 0; i < x.size(); ++i) {
    double* const row = close->values.row(i);
    for (Index o = 0; o < close->values.cols(); ++o) {
      row[o] += f.bias[at(o)];
      if (!std::isfinite(row[o])) return std::nullopt;  // refused with its row where all are computed in double
    }
    if (!reading.settled(parts, row, close->error[at(i)])) open.push_back(i);
  }
  if (!open.empty()) {
    const Matrix exact = parts.f(x.select(open), how);
    for (std::size_t k = 0; k < open.size(); ++k) {
      std::copy_n(exact.row(static_cast<Index>(k)), exact.cols(), close->values.row(open[k]));
    }
  }
  return reading.answers(parts, close->values);
}

}  // namespace mercer::detail
