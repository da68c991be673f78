#include "model/packed_products.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "gram/packed/packed_points.hpp"
#include "linalg/lapack.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

constexpr Index kPanel = simd::kFloatPanel;
// Points that one thread takes at a time, and centres whose values for these stay in the second-level cache.
constexpr Index kPointsAtOnce = PackedPoints::kPanelsTogether * kPanel, kCentresAtOnce = 128;
// The same in single precision.
constexpr Index kClosePoints = 2 * kPointsAtOnce;
// Packing looks at every number a few times.
constexpr Index kFewestPoints = 64, kFewestCentres = 64;

// Points and centres as two segments.
struct Packed {
  std::unique_ptr<PackedPoints> points;
  std::vector<Index> centres;  // their positions
  Index count;                 // of the points before them
};

Part all_of(const FloatForm& form) {
  Part out{form, std::vector<Index>(at(form.inputs.size()))};
  std::iota(out.which.begin(), out.which.end(), Index{0});
  return out;
}

template <class Pack>
std::optional<Packed> pack_with(Pack pack, const Kernel& k, const Points& x, const Points& centres,
                                const Execution& how, std::optional<simd::FloatProfile::Kind> only = {}) {
  if (x.size() < kFewestPoints || centres.size() < kFewestCentres) return std::nullopt;
  const auto form_of_centres = float_form(k, centres);
  if (!form_of_centres || (only && form_of_centres->profile.kind != *only)) return std::nullopt;
  require_finite(x);
  const auto form_of_x = float_form(k, x);
  if (!form_of_x) return std::nullopt;
  const std::array parts{all_of(*form_of_x), all_of(*form_of_centres)};
  Packed out{pack(parts, how), std::vector<Index>(at(centres.size())), x.size()};
  if (!out.points) return std::nullopt;
  std::iota(out.centres.begin(), out.centres.end(), x.size());
  return out;
}

// alpha', its columns in the order of the centres.
Matrix turned(MatrixView alpha, const Packed& packed, Index more_rows) {
  Matrix out(alpha.cols() + more_rows, alpha.rows());
  for (Index i = 0; i < alpha.rows(); ++i) {
    for (Index o = 0; o < alpha.cols(); ++o) out(o, i) = alpha(packed.centres[at(i)] - packed.count, o);
  }
  return out;
}

Matrix multiply_exactly(const Packed& packed, MatrixView alpha, const Execution& how) {
  const Index n = packed.count, m = alpha.rows(), outputs = alpha.cols();
  const std::unique_ptr<PackedPoints::Group> group = packed.points->group(packed.centres);
  const Matrix weights = turned(alpha, packed, 0);
  Matrix out = Matrix::uninitialized(n, outputs);
  parallel_for((n + kPointsAtOnce - 1) / kPointsAtOnce, thread_count(how.threads), how.monitor, "predict",
               [&](Index p, int) {
                 const Range points{p * kPointsAtOnce, std::min(n, (p + 1) * kPointsAtOnce)};
                 const Index first = points.begin / kPanel, last = (points.end + kPanel - 1) / kPanel;
                 Matrix sums(outputs, kPointsAtOnce);
                 if (outputs == 1) {
                   packed.points->add_exact(*group, VectorView(weights.row(0), at(m)), 0, first, last, sums.data());
                 } else {
                   Matrix values = Matrix::uninitialized(kCentresAtOnce, kPointsAtOnce);
                   std::array<double*, kCentresAtOnce> to;
                   for (Index r = 0; r < kCentresAtOnce; ++r) to[at(r)] = values.row(r);
                   for (Index i = 0; i < m; i += kCentresAtOnce) {
                     const Range some{i, std::min(m, i + kCentresAtOnce)};
                     packed.points->exact_rows(*group, some, 0, first, last, to.data());
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

// Two sums more say how far they may be off, of the largest |alpha_i| of all outputs.
CloseProducts multiply_in_single(Packed packed, const Nearness& near, MatrixView alpha, const Execution& how) {
  std::vector<Index> arranged;
  for (const Index k : packed.points->arrangement(packed.centres)) arranged.push_back(packed.centres[at(k)]);
  packed.centres = std::move(arranged);
  const Index n = packed.count, m = alpha.rows(), outputs = alpha.cols();
  const Vector sizes = packed.points->sizes();
  Matrix weights = turned(alpha, packed, 2);
  double largest = 0, sum = 0;
  for (Index i = 0; i < m; ++i) {
    const double size = sizes[at(packed.centres[at(i)])];
    for (Index o = 0; o < outputs; ++o) weights(outputs, i) = std::max(weights(outputs, i), std::abs(weights(o, i)));
    weights(outputs + 1, i) = weights(outputs, i) * size;
    largest = std::max(largest, size);
    sum += weights(outputs, i);
  }
  const std::unique_ptr<PackedPoints::Group> group = packed.points->group(packed.centres);
  CloseProducts out{Matrix::uninitialized(n, outputs), Vector(at(n))};
  const int threads = thread_count(how.threads);
  struct Room {
    std::vector<float> values;
    std::vector<float*> rows;
  };
  std::vector<Room> rooms(at(threads));
  parallel_for((n + kClosePoints - 1) / kClosePoints, threads, how.monitor, "predict", [&](Index p, int thread) {
    Room& room = rooms[at(thread)];
    if (room.rows.empty()) {
      room.values.resize(at(kCentresAtOnce * kClosePoints));
      for (Index r = 0; r < kCentresAtOnce; ++r) room.rows.push_back(room.values.data() + r * kClosePoints);
    }
    const Range points{p * kClosePoints, std::min(n, (p + 1) * kClosePoints)};
    const Index first = points.begin / kPanel, last = (points.end + kPanel - 1) / kPanel;
    Matrix sums(outputs + 2, kClosePoints);
    for (Index i = 0; i < m; i += kCentresAtOnce) {
      const Range some{i, std::min(m, i + kCentresAtOnce)};
      packed.points->rows(*group, some, 0, first, last, room.rows.data());
      simd::add_float_products(room.rows.data(), at(some.size()), at(kClosePoints), weights.row(0) + i,
                               at(weights.cols()), at(outputs + 2), sums.data(), at(sums.cols()));
    }
    for (Index j = points.begin; j < points.end; ++j) {
      const Index at_j = j - points.begin;
      for (Index o = 0; o < outputs; ++o) out.values(j, o) = sums(o, at_j);
      out.error[at(j)] = near.of_sum({sums(outputs, at_j), sums(outputs + 1, at_j), sum, largest}, sizes[at(j)]);
    }
  });
  return out;
}

}  // namespace

std::optional<Matrix> multiply_whole_numbers(const Kernel& k, const Points& x, const Points& centres, MatrixView alpha,
                                             const Execution& how) {
  const std::optional<Packed> packed = pack_with(pack_whole_numbers, k, x, centres, how);
  if (!packed) return std::nullopt;
  return multiply_exactly(*packed, alpha, how);
}

std::optional<CloseProducts> multiply_closely(const Kernel& k, const Points& x, const Points& centres, MatrixView alpha,
                                              const Execution& how) {
  std::optional<Packed> packed = pack_with(pack_points, k, x, centres, how, simd::FloatProfile::Kind::exponential);
  if (!packed) return std::nullopt;
  if (const std::optional<Nearness> near = packed->points->nearness()) {
    return multiply_in_single(std::move(*packed), *near, alpha, how);
  }
  return CloseProducts{multiply_exactly(*packed, alpha, how), Vector(at(x.size()))};
}

}  // namespace mercer::detail
