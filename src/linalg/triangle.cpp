#include "linalg/triangle.hpp"

#include <algorithm>

#include "base/aligned.hpp"
#include "base/at.hpp"
#include "linalg/blas.hpp"
#include "simd/panel.hpp"

namespace mercer::linalg {

namespace {

using blas::Op;

constexpr auto kPanel = static_cast<Index>(simd::kPanelColumns);
constexpr Index kSmallest = 64;  // a triangle that LAPACK factors; below it there is nothing to win
constexpr Index kBlock = 256;    // rows of L whose panels, solved, stay in the second-level cache

AlignedArray panel_for(Index rows) { return AlignedArray(at(std::min(rows, kBlock) * kPanel)); }

// body(r, before) for blocks r of rows of L and the rows before them.
template <class Body>
void for_blocks(Index n, const Body& body) {
  for (Index first = 0; first < n; first += kBlock) body(Range{first, std::min(n, first + kBlock)}, Range{0, first});
}

}  // namespace

Index factor_triangle(MatrixRef a) {
  const Index n = a.rows();
  if (n <= kSmallest) return blas::potrf(a);
  const Index half = (n / 2 + kSmallest - 1) / kSmallest * kSmallest;
  const Range top{0, half}, rest{half, n};
  if (const Index failed = factor_triangle(a.block(top, top)); failed != 0) return failed;
  const MatrixRef left = a.block(rest, top), corner = a.block(rest, rest);
  solve_triangle_rows(a.block(top, top), left);
  blas::syrk(Op::plain, -1, left, 1, corner);
  const Index failed = factor_triangle(corner);
  return failed == 0 ? 0 : half + failed;
}

void solve_triangle(MatrixView l, MatrixRef b) {
  AlignedArray panel = panel_for(l.rows());
  for_blocks(l.rows(), [&](Range r, Range before) {
    const MatrixRef some = b.block(r, {0, b.cols()});
    if (before.size() > 0) {
      blas::gemm(Op::plain, Op::plain, -1, l.block(r, before), b.block(before, {0, b.cols()}), 1, some);
    }
    for (Index first = 0; first < b.cols(); first += kPanel) {
      const Index count = std::min(kPanel, b.cols() - first);
      for (Index i = 0; i < r.size(); ++i) {
        double* const row = panel.data() + i * kPanel;
        std::fill(std::copy_n(some.row(i) + first, count, row), row + kPanel, 0.0);
      }
      simd::solve_panel(l.row(r.begin) + r.begin, at(l.stride()), at(r.size()), panel.data());
      for (Index i = 0; i < r.size(); ++i) std::copy_n(panel.data() + i * kPanel, count, some.row(i) + first);
    }
  });
}

void solve_triangle_rows(MatrixView l, MatrixRef b) {
  AlignedArray panel = panel_for(l.rows());
  for_blocks(l.rows(), [&](Range r, Range before) {
    const MatrixRef some = b.block({0, b.rows()}, r);
    if (before.size() > 0) {
      blas::gemm(Op::plain, Op::transposed, -1, b.block({0, b.rows()}, before), l.block(r, before), 1, some);
    }
    for (Index first = 0; first < b.rows(); first += kPanel) {
      const Index count = std::min(kPanel, b.rows() - first);
      simd::rows_to_panel(some.row(first), at(some.stride()), at(count), at(r.size()), panel.data());
      simd::solve_panel(l.row(r.begin) + r.begin, at(l.stride()), at(r.size()), panel.data());
      simd::panel_to_rows(panel.data(), at(count), at(r.size()), some.row(first), at(some.stride()));
    }
  });
}

}  // namespace mercer::linalg
