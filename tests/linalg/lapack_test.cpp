// Products and eigenvectors against their definitions, on both sides of where work is shared between threads.
#include "linalg/lapack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <set>
#include <thread>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "support.hpp"

#if defined(__x86_64__)
extern "C" char* gotoblas_corename();
#endif

namespace mercer::linalg::lapack_test {
namespace {

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  Matrix out(rows, cols);
  for (Index i = 0; i < rows * cols; ++i) out.data()[i] = random.uniform() - 0.5;
  return out;
}

Matrix transposed(const Matrix& a) {
  Matrix out(a.cols(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) out(j, i) = a(i, j);
  }
  return out;
}

struct Shape {
  Index rows, inner, cols;
};
class ProductShapes : public ::testing::TestWithParam<Shape> {};

TEST_P(ProductShapes, AreSumsOfProducts) {
  const auto [m, k, n] = GetParam();
  const Matrix a = random_matrix(m, k, 1), b = random_matrix(k, n, 2), start = random_matrix(m, n, 3);
  Matrix plain(start), right(start), left(start);
  multiply(2, a, b, 3, plain);
  multiply_transposed(2, a, transposed(b), 3, right);
  multiply_left_transposed(2, transposed(a), b, 3, left);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      double sum = 3 * start(i, j);
      for (Index l = 0; l < k; ++l) sum += 2 * a(i, l) * b(l, j);
      ASSERT_NEAR(plain(i, j), sum, 1e-12);
      ASSERT_NEAR(right(i, j), sum, 1e-12);
      ASSERT_NEAR(left(i, j), sum, 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ProductShapes,
                         ::testing::Values(Shape{3, 4, 5}, Shape{4, 0, 3}, Shape{1, 300, 1}, Shape{400, 130, 90},
                                           Shape{30, 200, 700}, Shape{2000, 1500, 1}, Shape{1, 1500, 2000}));

TEST(SymmetricProduct, IsTheLowerTriangleOfTheProduct) {
  for (const Index n : {7, 410}) {
    const Matrix a = random_matrix(n, 60, 4);
    Matrix c(n, n), whole(n, n);
    symmetric_product(a, c);
    multiply_transposed(1, a, a, 0, whole);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i; ++j) ASSERT_NEAR(c(i, j), whole(i, j), 1e-12);
    }
  }
}

TEST(EigenTest, VectorsAreOrthonormalAndValuesTheirs) {
  for (const Index n : {1, 2, 3, 64, 65, 66, 150}) {
    for (const double scale : {1.0, 1e-250, 1e250}) {
      Matrix a = random_matrix(n, n, 5);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j <= i; ++j) a(i, j) = a(j, i) = scale * a(i, j);
      }
      const Eigen e = eigen(a);
      const Vector values = eigenvalues(a);
      Matrix images(n, n), inner(n, n);
      multiply(1 / scale, e.vectors, a, 0, images);  // row i: A v_i
      multiply_transposed(1, e.vectors, e.vectors, 0, inner);
      for (Index i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        EXPECT_NEAR(values[k] / scale, e.values[k] / scale, 1e-12);
        if (i > 0) {
          EXPECT_LE(e.values[k - 1], e.values[k]);
        }
        for (Index j = 0; j < n; ++j) {
          ASSERT_NEAR(images(i, j), e.values[k] / scale * e.vectors(i, j), 1e-12);
          ASSERT_NEAR(inner(i, j), i == j ? 1 : 0, 1e-12);
        }
      }
    }
  }
  test::expect_error([] { eigen(Matrix{{1, 0}, {std::nan(""), 1}}); }, "NumericError", {"row 2", "nan"});
}

// Divide and conquer leaves out what need not be computed, and what lies together must come out orthogonal even so:
// eigenvalues that fall to rounding, one that comes n times, pairs that agree to all digits, sizes apart by 2^n.
TEST(EigenTest, ValuesThatLieTogether) {
  const auto rbf = [](Index i, Index j, Index) { return std::exp(-1e-4 * static_cast<double>((i - j) * (i - j))); };
  const auto same = [](Index i, Index j, Index) { return i == j ? 2.0 : 0.0; };
  const auto ones = [](Index, Index, Index) { return 1.0; };
  const auto wilkinson = [](Index i, Index j, Index n) {
    return i == j ? std::abs(static_cast<double>(2 * i - n + 1)) / 2 : std::abs(i - j) == 1 ? 1.0 : 0.0;
  };
  const auto graded = [](Index i, Index j, Index) { return std::exp2(-0.5 * static_cast<double>(i + j)); };
  const auto glued = [](Index i, Index j, Index) {  // Wilkinson's, side by side
    if (i == j) return std::abs(static_cast<double>(i % 21 - 10));
    return std::abs(i - j) > 1 ? 0.0 : std::max(i, j) % 21 == 0 ? 1e-4 : 1.0;
  };
  const auto apart = [](Index i, Index j, Index) { return i == j ? 1 : 1e-170 * static_cast<double>((i * j) % 7 - 3); };
  const std::vector<std::function<double(Index, Index, Index)>> kinds = {rbf,    same,  ones, wilkinson,
                                                                         graded, glued, apart};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const Index n : {33, 130, 401}) {
      Matrix a(n, n);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) a(i, j) = kinds[kind](i, j, n);
      }
      const Eigen e = eigen(a);
      const double size = std::max(std::abs(e.values.front()), std::abs(e.values.back()));
      Matrix images(n, n), inner(n, n);
      multiply(1, e.vectors, a, 0, images);
      multiply_transposed(1, e.vectors, e.vectors, 0, inner);
      double residual = 0, skew = 0, trace = 0;
      for (Index i = 0; i < n; ++i) {
        trace += e.values[at(i)] - a(i, i);
        for (Index j = 0; j < n; ++j) {
          residual = std::max(residual, std::abs(images(i, j) - e.values[at(i)] * e.vectors(i, j)));
          skew = std::max(skew, std::abs(inner(i, j) - (i == j ? 1 : 0)));
        }
      }
      EXPECT_LT(residual, 1e-13 * size) << kind << " " << n;
      EXPECT_LT(skew, 1e-13) << kind << " " << n;
      EXPECT_LT(std::abs(trace), 1e-12 * size * static_cast<double>(n)) << kind << " " << n;
      EXPECT_TRUE(std::is_sorted(e.values.begin(), e.values.end())) << kind << " " << n;
    }
  }
}

// Nobody waits for it: it is heard from at every per cent of its work, and ends when it is told to.
TEST(EigenTest, IsHeardFromAndStops) {
  Matrix a = random_matrix(700, 700, 8);
  for (Index i = 0; i < 700; ++i) {
    for (Index j = 0; j < i; ++j) a(j, i) = a(i, j);
  }
  for (const bool vectors : {false, true}) {
    for (const int threads : {1, 2}) {
      const Threads limit(threads);
      const auto solve = [&](const Monitor& monitor) {
        if (vectors) return eigen(a, monitor).values;
        return eigenvalues(a, monitor);
      };
      Index looks = 0;
      double last = 0, longest = 0;
      const Vector values = solve(Monitor([&](const Progress& progress) {
        EXPECT_EQ(progress.stage, "eigen");
        EXPECT_GE(progress.fraction, last);
        longest = std::max(longest, progress.fraction - last);
        last = progress.fraction;
        ++looks;
        return true;
      }));
      EXPECT_EQ(values, solve({}));
      EXPECT_GE(looks, 90);
      EXPECT_LT(longest, 0.06);
      for (const Index stop : {Index{1}, Index{40}, looks / 2, looks - 8}) {
        Index heard = 0;
        test::expect_error([&] { solve(Monitor([&](const Progress&) { return ++heard < stop; })); }, "Cancelled", {});
        EXPECT_LE(heard, stop + threads);
      }
    }
  }
}

TEST(Products, TheNumberOfThreadsChangesNoBit) {
  const Matrix a = random_matrix(450, 450, 6);
  std::vector<Matrix> all;
  for (const int threads : {1, 2, 3, 8}) {
    const Threads limit(threads);
    Matrix c(450, 450);
    multiply(1, a, a, 0, c);
    Matrix s(450, 450);
    symmetric_product(a, s);
    Matrix out = eigen(s).vectors;
    for (Index i = 0; i < 450 * 450; ++i) out.data()[i] += c.data()[i];
    all.push_back(std::move(out));
  }
  for (const Matrix& other : all) EXPECT_TRUE(other == all.front());
}

// OpenBLAS hands out its buffers one to a call; two calls that shared one would mix up their numbers.
TEST(Products, CallsSideBySideDoNotMeet) {
  constexpr Index n = 96;
  std::vector<int> wrong(6);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&wrong, t] {
      const Matrix a(n, n, static_cast<double>(t + 1)), b(n, n, 1.0);
      Matrix c(n, n);
      for (int round = 0; round < 1500; ++round) {
        multiply(1, a, b, 0, c);
        for (Index i = 0; i < n * n; ++i)
          wrong[t] += c.data()[i] != static_cast<double>(n) * static_cast<double>(t + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

#if defined(__x86_64__)
// A CPU that OpenBLAS does not know by its number is not taken for one without AVX2.
TEST(Products, UseWhatTheCpuHas) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) GTEST_SKIP() << "OPENBLAS_CORETYPE says what is used";
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "a CPU without AVX2";
  const std::set<std::string> plain = {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Sandybridge", "Atom"};
  EXPECT_FALSE(plain.contains(gotoblas_corename())) << gotoblas_corename();
}
#endif

}  // namespace
}  // namespace mercer::linalg::lapack_test
