// Products with panels and banded solves, on every instruction set, against plain loops.
#include "simd/panel.hpp"

#include "simd/targets.hpp"
#include "support.hpp"

namespace mercer {
namespace {

using simd::kBandGroup;
using simd::kBandRows;
using simd::kPanel;
using simd::Size;

constexpr auto w = static_cast<Index>(kPanel);

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
        simd::add_product(a.data(), d, 1, m, d, x.data(), wide.data(), kPanel + 3);
        test::expect_near(by_rows, expected, 1e-14);
        test::expect_near(by_columns, expected, 1e-14);
        test::expect_near(Matrix(wide.view().block({0, rows}, {0, w})), expected, 1e-14);
        for (Index i = 0; i < rows; ++i) EXPECT_EQ(wide(i, w + 1), 0.5);
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
}  // namespace mercer
