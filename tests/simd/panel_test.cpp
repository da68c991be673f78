// Products with panels and banded solves, on every instruction set, against plain loops.
#include "simd/panel.hpp"

#include "simd/targets.hpp"
#include "support.hpp"

namespace mercer::panel_test {
namespace {

using simd::kBandGroup;
using simd::kBandRows;
using simd::kPanelColumns;
using simd::Size;

constexpr auto w = static_cast<Index>(kPanelColumns);

TEST(Panel, ProductsByRowsAndByColumns) {
  for (const Index rows : {1, 2, 5, 6, 7, 12, 23}) {
    for (const Index depth : {0, 1, 9}) {
      const Matrix a = test::random_matrix(rows, depth, 1), x = test::random_matrix(depth, w, 2);
      Matrix turned(depth, rows), expected = test::product(a, x);
      for (Index i = 0; i < rows; ++i) {
        for (Index k = 0; k < depth; ++k) turned(k, i) = a(i, k);
        for (Index j = 0; j < w; ++j) expected(i, j) += 0.5;
      }
      test::for_each_target([&] {
        Matrix by_rows(rows, w, 0.5), by_columns(rows, w, 0.5), wide(rows, w + 3, 0.5);
        const auto m = static_cast<Size>(rows), d = static_cast<Size>(depth);
        simd::add_product(a.data(), d, 1, m, d, x.data(), by_rows.data());
        simd::add_product(turned.data(), 1, m, m, d, x.data(), by_columns.data());
        simd::add_product(a.data(), d, 1, m, d, x.data(), wide.data(), kPanelColumns + 3);
        test::expect_near(by_rows, expected, 1e-14);
        test::expect_near(by_columns, expected, 1e-14);
        test::expect_near(Matrix(wide.view().block({0, rows}, {0, w})), expected, 1e-14);
        for (Index i = 0; i < rows; ++i) EXPECT_EQ(wide(i, w + 1), 0.5);
      });
    }
  }
}

TEST(Panel, TriangularSolves) {
  for (const Index n : {1, 2, 5, 6, 7, 13, 40}) {
    Matrix l = test::random_matrix(n, n + 3, 5, -0.5, 0.5), expected = test::random_matrix(n, w, 6), b(n, w);
    for (Index i = 0; i < n; ++i) {
      l(i, i) += 2;
      for (Index j = i + 1; j < n + 3; ++j) l(i, j) = std::nan("");  // is not read
      for (Index c = 0; c < w; ++c) {
        for (Index k = 0; k <= i; ++k) b(i, c) += l(i, k) * expected(k, c);
      }
    }
    test::for_each_target([&] {
      Matrix x(b);
      simd::solve_panel(l.data(), static_cast<Size>(n + 3), static_cast<Size>(n), x.data());
      test::expect_near(x, expected, 1e-13);
    });
  }
}

TEST(Panel, RowsBecomeColumnsAndBack) {
  for (const Index count : {1, 7, 8, 19, 32}) {
    for (const Index length : {1, 8, 13}) {
      const Matrix rows = test::random_matrix(count, length + 2, 7);
      test::for_each_target([&] {
        Matrix panel(length, w, 9.0), back(count, length + 1, 5.0);
        const auto m = static_cast<Size>(count), n = static_cast<Size>(length);
        simd::rows_to_panel(rows.data(), n + 2, m, n, panel.data());
        simd::panel_to_rows(panel.data(), m, n, back.data(), n + 1);
        for (Index i = 0; i < w; ++i) {
          for (Index k = 0; k < length; ++k) EXPECT_EQ(panel(k, i), i < count ? rows(i, k) : 0);
        }
        for (Index i = 0; i < count; ++i) {
          for (Index k = 0; k <= length; ++k) EXPECT_EQ(back(i, k), k < length ? rows(i, k) : 5);
        }
      });
    }
  }
}

TEST(Panel, BandedSquares) {
  constexpr Index groups = 25, r6 = kBandRows, n = groups * r6;
  Matrix l = test::random_matrix(n, n, 3, -0.1, 0.1);
  const Matrix b = test::random_matrix(n, w, 4);
  std::vector<double> packed;
  for (Index i = 0; i < n; ++i) l(i, i) += 1.5;
  for (Index i = 0; i < n; i += r6) {
    for (Index j = i - w; j < i; ++j) {
      for (Index r = i; r < i + r6; ++r) packed.push_back(j >= 0 && r - j <= w ? -l(r, j) : 0);
    }
    for (Index r = 0; r < r6; ++r) {
      for (Index k = 0; k < r; ++k) packed.push_back(-l(i + r, i + k));
    }
    for (Index r = 0; r < r6; ++r) packed.push_back(1 / l(i + r, i + r));
  }
  ASSERT_EQ(packed.size(), static_cast<std::size_t>(groups) * kBandGroup);
  Matrix x(b), expected(1, w);
  for (Index c = 0; c < w; ++c) {
    for (Index i = 0; i < n; ++i) {
      for (Index j = std::max<Index>(0, i - w); j < i; ++j) x(i, c) -= l(i, j) * x(j, c);
      x(i, c) /= l(i, i);
      expected(0, c) += x(i, c) * x(i, c);
    }
  }
  test::for_each_target([&] {
    Matrix squares(1, w, -1);
    simd::banded_squares(packed.data(), groups, b.data(), squares.data());
    test::expect_near(squares, expected, 1e-12);
  });
}

}  // namespace
}  // namespace mercer::panel_test
