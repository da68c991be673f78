#include "model/whole_numbers.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "gram/packed/packed_points.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

namespace {

constexpr Index kPanel = simd::kFloatPanel;
// Points that one thread takes at a time, and centres whose values for these stay in the second-level cache.
constexpr Index kPointsAtOnce = PackedPoints::kPanelsTogether * kPanel, kCentresAtOnce = 128;
// Packing looks at every number a few times.
constexpr Index kFewestPoints = 64, kFewestCentres = 64;

Part all_of(const FloatForm& form) {
  Part out{form, std::vector<Index>(at(form.inputs.size()))};
  std::iota(out.which.begin(), out.which.end(), Index{0});
  return out;
}

}  // namespace

std::optional<Matrix> multiply_whole_numbers(const Kernel& k, const Points& x, const Points& centres, MatrixView alpha,
                                             const Execution& how) {
  if (x.size() < kFewestPoints || centres.size() < kFewestCentres) return std::nullopt;
  const auto form_of_x = float_form(k, x), form_of_centres = float_form(k, centres);
  if (!form_of_x || !form_of_centres) return std::nullopt;
  const std::array parts{all_of(*form_of_x), all_of(*form_of_centres)};
  const std::unique_ptr<PackedPoints> packed = pack_whole_numbers(parts, how);
  if (!packed) return std::nullopt;

  const Index n = x.size(), m = centres.size(), outputs = alpha.cols();
  std::vector<Index> positions(at(m));
  std::iota(positions.begin(), positions.end(), n);
  const std::unique_ptr<PackedPoints::Group> group = packed->group(positions);
  Matrix weights = Matrix::uninitialized(outputs, m);  // alpha'
  for (Index i = 0; i < m; ++i) {
    for (Index o = 0; o < outputs; ++o) weights(o, i) = alpha(i, o);
  }
  Matrix out = Matrix::uninitialized(n, outputs);
  parallel_for((n + kPointsAtOnce - 1) / kPointsAtOnce, thread_count(how.threads), how.monitor, "predict",
               [&](Index p, int) {
                 const Range points{p * kPointsAtOnce, std::min(n, (p + 1) * kPointsAtOnce)};
                 const Index first = points.begin / kPanel, last = (points.end + kPanel - 1) / kPanel;
                 Matrix sums(outputs, kPointsAtOnce);
                 if (outputs == 1) {
                   packed->add_exact(*group, VectorView(weights.row(0), at(m)), 0, first, last, sums.data());
                 } else {
                   Matrix values = Matrix::uninitialized(kCentresAtOnce, kPointsAtOnce);
                   std::array<double*, kCentresAtOnce> to;
                   for (Index r = 0; r < kCentresAtOnce; ++r) to[at(r)] = values.row(r);
                   for (Index i = 0; i < m; i += kCentresAtOnce) {
                     const Range some{i, std::min(m, i + kCentresAtOnce)};
                     packed->exact_rows(*group, some, 0, first, last, to.data());
                     linalg::multiply(1, weights.view().block({0, outputs}, some),
                                      values.view().block({0, some.size()}, {0, points.size()}), 1,
                                      sums.ref().block({0, outputs}, {0, points.size()}));
                   }
                 }
                 for (Index j = points.begin; j < points.end; ++j) {
                   for (Index o = 0; o < outputs; ++o) out(j, o) = sums(o, j - points.begin);
                 }
               });
  return out;
}

}  // namespace mercer::detail
