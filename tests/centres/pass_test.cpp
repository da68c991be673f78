// A pass over the data against the products of whole matrices.
#include "centres/pass.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "linalg/lapack.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::centres::pass_test {
namespace {

const Kernel& kernel() {
  static const Kernel k = parse("rbf(ell=1.3)");
  return k;
}

TEST(Pass, ProductsAreThoseOfTheMatrix) {
  const Points z = rows(test::random_matrix(37, 3, 1));
  for (const Index n : {1, 7, 1023, 1024, 1025, 3000}) {
    const Points x = rows(test::random_matrix(n, 3, 2));
    const Matrix K = cross(kernel(), x, z), u = test::random_matrix(37, 2, 3), y = test::random_matrix(n, 2, 4);
    const Pass pass(kernel(), z, pieces_of(x));
    ASSERT_EQ(pass.rows(), n);
    Matrix f(n, 2), expected(37, 2);
    linalg::multiply(1, K, u, 0, f);
    test::expect_near(pass.values(u, {}), f, 1e-12);
    // Weights; and what softmax makes of f.
    const Matrix w = test::random_matrix(n, 1, 5);
    for (const bool chances : {false, true}) {
      Matrix g = f;
      for (Index i = 0; i < n; ++i) {
        const double along = y(i, 0) * (f(i, 0) + 0.5) + y(i, 1) * (f(i, 1) - 2);
        for (Index c = 0; c < 2; ++c) {
          const double moved = f(i, c) + (c == 0 ? 0.5 : -2);
          g(i, c) = w(i, 0) * (chances ? y(i, c) * (moved - along) : moved);
        }
      }
      linalg::multiply_left_transposed(1, K, g, 0, expected);
      const Matrix plus{{0.5, -2.0}};
      const MatrixView p = chances ? y.view() : MatrixView();
      test::expect_near(pass.back(u, {.plus = plus, .times = w, .chances = p}, {}), expected, 1e-10);
    }
    linalg::multiply_left_transposed(1, K, y, 0, expected);
    const Matrix found = pass.back(u, {.instead = y}, {});
    test::expect_near(found, expected, 1e-11);
  }
}

TEST(Pass, SameBitsWhateverTheThreads) {
  const Points x = rows(test::random_matrix(5000, 3, 5)), z = rows(test::random_matrix(200, 3, 6));
  const Pass pass(kernel(), z, pieces_of(x));
  const Matrix u = test::random_matrix(200, 1, 7);
  const auto back = [&](int threads) { return pass.back(u, {}, {.threads = threads}); };
  EXPECT_EQ(back(1), back(2));
  EXPECT_EQ(back(1), back(3));
}

TEST(Pass, StripsAndSlabsHoldEveryRowOnce) {
  const Index n = 2600;
  const Points x = rows(test::random_matrix(n, 2, 8)), z = rows(test::random_matrix(50, 2, 9));
  const Matrix K = cross(kernel(), x, z);
  const Pass pass(kernel(), z, pieces_of(x));
  for (const Index height : {kInCache, kTall, Index{100}}) {
    Matrix seen(n, 50);
    std::vector<Index> done;
    std::mutex mutex;
    pass.strips(
        pass.pieces(), height,
        [&](Index, Range rows, MatrixRef strip) {
          const std::lock_guard lock(mutex);
          for (Index i = 0; i < rows.size(); ++i) {
            for (Index j = 0; j < 50; ++j) seen(rows.begin + i, j) += strip(i, j);
          }
        },
        [&](Index piece) { done.push_back(piece); }, {.threads = 2});
    test::expect_near(seen, K, 1e-14);
    for (Index p = 0; p < pass.pieces().end; ++p) EXPECT_EQ(done[static_cast<std::size_t>(p)], p);
  }
  Matrix seen(n, 50);
  Index next = 0;
  pass.slabs(pass.pieces(), 70,
             [&](Range rows, MatrixView slab) {
               EXPECT_EQ(rows.begin, next);
               next = rows.end;
               for (Index i = 0; i < rows.size(); ++i) std::copy_n(slab.row(i), 50, seen.row(rows.begin + i));
             },
             {});
  EXPECT_EQ(next, n);
  test::expect_near(seen, K, 1e-14);
}

TEST(Pass, CanBeStopped) {
  const Points x = rows(test::random_matrix(5000, 2, 10)), z = rows(test::random_matrix(100, 2, 11));
  const Pass pass(kernel(), z, pieces_of(x));
  const Execution stop{.monitor = Monitor([](const Progress&) { return false; })};
  test::expect_error([&] { pass.values(Matrix(100, 1), stop); }, "Cancelled", {});
}

TEST(Pass, NamesTheRowOfWhatOverflows) {
  Matrix values(3000, 1, 1);
  values(2500, 0) = 1e100;
  const Pass pass(parse("poly(degree=4, c=1)"), rows(Matrix{{1.0}}), pieces_of(rows(values)));
  test::expect_error([&] { pass.values(Matrix(1, 1, 1), {}); }, "NumericError", {"2501"});
  const auto look = [](Range, MatrixView) {};
  test::expect_error([&] { pass.slabs(pass.pieces(), 512, look, {}); }, "NumericError", {"2501"});
}

// k(x, x) = (x^2 + c)^2, whose derivative by c is 2 (x^2 + c): each row with the weight of its own number.
TEST(Pass, TheSlopeOfTheDiagonalWeighsEachRow) {
  const Index n = 2600;
  const Matrix x = test::random_matrix(n, 1, 10);
  const Kernel k = parse("poly(degree=2, c=1.5)");
  Vector w;
  double expected = 0;
  for (Index i = 0; i < n; ++i) {
    w.push_back(std::sin(static_cast<double>(i)));
    expected += w.back() * 2 * (x(i, 0) * x(i, 0) + 1.5);
  }
  const Pass pass(k, rows(Matrix{{1.0}}), pieces_of(rows(x)));
  EXPECT_NEAR(pass.diagonal_gradient(w, {})[0], expected, 1e-10);
}

}  // namespace
}  // namespace mercer::centres::pass_test
