#include "linalg/shifted.hpp"

#include <algorithm>
#include <cmath>

#include "base/aligned.hpp"
#include "base/at.hpp"
#include "base/parallel.hpp"
#include "linalg/band.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "simd/panel.hpp"

namespace mercer::linalg {

namespace {

constexpr Index kWidth = kBandwidth;
constexpr auto kRows = static_cast<Index>(simd::kBandRows);
constexpr auto kGroup = static_cast<Index>(simd::kBandGroup);

constexpr Index kShifts = 16;  // factors of so many shifts stay in the last cache while one basis vector after another
                               // meets them
constexpr Index kRowsOfPath = 512;  // rows of z that are a piece of work

// L with T + s I = L L', stored like T; empty if there is none.
Matrix band_cholesky(const Matrix& band, double shift) {
  Matrix l(band);
  const Index n = band.rows();
  for (Index i = 0; i < n; ++i) l(i, 0) += shift;
  bool definite = blas::pbtrf(l) == 0;
  for (Index i = 0; i < n && definite; ++i) definite = l(i, 0) > 0 && std::isfinite(l(i, 0));
  return definite ? std::move(l) : Matrix();
}

Index groups_of(Index n) { return (n + kRows - 1) / kRows; }

// As banded_squares wants it. Rows after the last are 0, and so are their reciprocals.
AlignedArray in_groups(const Matrix& l) {
  const Index n = l.rows();
  AlignedArray out(at(groups_of(n) * kGroup));
  const auto entry = [&](Index i, Index j) { return j >= 0 && i < n && i - j <= kWidth ? -l(j, i - j) : 0.0; };
  double* to = out.data();
  for (Index i = 0; i < n; i += kRows) {
    for (Index j = i - kWidth; j < i; ++j) {
      for (Index r = 0; r < kRows; ++r) *to++ = entry(i + r, j);
    }
    for (Index r = 0; r < kRows; ++r) {
      for (Index k = 0; k < r; ++k) *to++ = entry(i + r, i + k);
    }
    for (Index r = 0; r < kRows; ++r) *to++ = i + r < n ? 1 / l(i + r, 0) : 0.0;
  }
  return out;
}

// Rows [first, first + 32) of Q as the columns of a panel; rows after the last are 0.
void turn_rows(const std::vector<Matrix>& basis, Index first, double* panel) {
  for (std::size_t p = 0; p < basis.size(); ++p) {
    const Matrix& q = basis[p];
    const Index count = std::min(kWidth, q.rows() - first),
                width = std::min(kWidth, q.rows() - static_cast<Index>(p) * kWidth);
    for (Index k = 0; k < width; ++k, panel += kWidth) {
      for (Index i = 0; i < count; ++i) panel[i] = q(first + i, k);
      std::fill(panel + count, panel + kWidth, 0.0);
    }
  }
}

// diag((A + s I)^-1)_i = |L^-1 q_i|^2, q_i row i of Q.
Matrix inverse_diagonals(const std::vector<Matrix>& basis, const std::vector<AlignedArray>& factors, Index n,
                         int threads, const Monitor& monitor) {
  const auto count = static_cast<Index>(factors.size());
  const Index blocks = (n + kWidth - 1) / kWidth, groups = groups_of(n);
  Matrix out = Matrix::uninitialized(n, count);
  std::vector<AlignedArray> panels(at(threads));
  parallel_for((count + kShifts - 1) / kShifts * blocks, threads, monitor, "path", [&](Index piece, int thread) {
    const Index first = piece % blocks * kWidth, rows = std::min(kWidth, n - first), begin = piece / blocks * kShifts;
    AlignedArray& panel = panels[at(thread)];
    if (panel.data() == nullptr) panel = AlignedArray(at(groups * kRows * kWidth));
    turn_rows(basis, first, panel.data());
    std::fill(panel.data() + n * kWidth, panel.data() + groups * kRows * kWidth, 0.0);
    for (Index s = begin; s < std::min(count, begin + kShifts); ++s) {
      double squares[kWidth];
      simd::banded_squares(factors[at(s)].data(), at(groups), panel.data(), squares);
      for (Index i = 0; i < rows; ++i) out(first + i, s) = squares[i];
    }
  });
  return out;
}

}  // namespace

// With A = Q T Q': z = Q (T + s)^-1 Q'b.
ShiftedSolves shifted_solves(Matrix a, MatrixView b, VectorView shifts, int threads, const Monitor& monitor) {
  const Index n = a.rows(), m = b.cols(), count = static_cast<Index>(shifts.size());
  const BandForm form = band_form(std::move(a), threads, monitor);
  monitor.report({"path", 0});
  const auto panels = static_cast<Index>(form.basis.size());
  const auto rows_of = [&](Index panel) { return Range{panel * kWidth, std::min(n, panel * kWidth + kWidth)}; };
  const auto part_of = [&](Index panel, Range rows) {
    return form.basis[at(panel)].view().block(rows, {0, rows_of(panel).size()});
  };
  Matrix projected(n, m);
  parallel_for(panels, threads, {}, "path", [&](Index p, int) {
    multiply_left_transposed(1, part_of(p, {0, n}), b, 0, projected.ref().block(rows_of(p), {0, m}));
  });

  ShiftedSolves out;
  std::vector<AlignedArray> factors(at(count));
  std::vector<char> definite(at(count));
  Matrix solved(n, count * m);
  parallel_for(count, threads, {}, "path", [&](Index s, int) {
    const Matrix l = band_cholesky(form.band, shifts[at(s)]);
    definite[at(s)] = l.rows() == n;
    if (l.rows() != n) return;
    factors[at(s)] = in_groups(l);
    Matrix columns(m, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) columns(j, i) = projected(i, j);
    }
    blas::pbtrs(l, columns);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) solved(i, s * m + j) = columns(j, i);
    }
  });
  if (const auto bad = std::find(definite.begin(), definite.end(), 0); bad != definite.end()) {
    out.indefinite = bad - definite.begin();
    return out;
  }
  Matrix solutions(n, count * m);
  parallel_for((n + kRowsOfPath - 1) / kRowsOfPath, threads, {}, "path", [&](Index piece, int) {
    const Range rows{piece * kRowsOfPath, std::min(n, piece * kRowsOfPath + kRowsOfPath)};
    const MatrixRef to = solutions.ref().block(rows, {0, count * m});
    for (Index p = 0; p < panels; ++p) {
      multiply(1, part_of(p, rows), solved.view().block(rows_of(p), {0, count * m}), 1, to);
    }
  });
  for (Index s = 0; s < count; ++s) out.z.emplace_back(solutions.view().block({0, n}, {s * m, s * m + m}));
  out.inverse_diagonals = inverse_diagonals(form.basis, factors, n, threads, monitor);
  return out;
}

}  // namespace mercer::linalg
