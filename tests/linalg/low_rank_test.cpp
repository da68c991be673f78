// A matrix of low rank with a shift far below it, against long double: columns far from 0 leave little of their spread
// in double precision, and what the shift sees of it must be there.
#include "linalg/low_rank.hpp"

#include "mercer/kernels.hpp"
#include "mercer/machines/ridge.hpp"
#include "support.hpp"

namespace mercer::low_rank_test {
namespace {

using Exact = std::vector<std::vector<long double>>;

constexpr Index kPoints = 200, kColumns = 3;
constexpr double kPlaces[] = {0, 1e3, 1e4, 1e5, 1e6};

// With few digits, so that moving by a whole number is exact.
Matrix moved(double by) {
  Matrix out = test::random_matrix(kPoints, kColumns, 11);
  for (Index i = 0; i < kPoints * kColumns; ++i) {
    out.data()[i] = std::round(std::ldexp(out.data()[i], 16)) / std::ldexp(1, 16) + by;
  }
  return out;
}

Matrix targets() {
  const Matrix x = moved(0);
  Matrix out(kPoints, 1);
  for (Index i = 0; i < kPoints; ++i) out(i, 0) = x(i, 0) + 0.1 * x(i, 1) * x(i, 2);
  return out;
}

// The triangle L of G'G + shift I = L L'.
Exact factor(const Matrix& g, double shift) {
  Exact l(kColumns, std::vector<long double>(kColumns));
  for (Index i = 0; i < kColumns; ++i) {
    for (Index j = 0; j <= i; ++j) {
      long double sum = i == j ? shift : 0;
      for (Index k = 0; k < g.rows(); ++k) sum += static_cast<long double>(g(k, i)) * g(k, j);
      for (Index k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
    }
  }
  return l;
}

// w = (G'G + shift I)^-1 G'b
std::vector<long double> primal(const Matrix& g, const Matrix& b, double shift) {
  const Exact l = factor(g, shift);
  std::vector<long double> w(kColumns);
  for (Index j = 0; j < kColumns; ++j) {
    for (Index i = 0; i < g.rows(); ++i) w[j] += static_cast<long double>(g(i, j)) * b(i, 0);
  }
  for (Index j = 0; j < kColumns; ++j) {
    for (Index k = 0; k < j; ++k) w[j] -= l[j][k] * w[k];
    w[j] /= l[j][j];
  }
  for (Index j = kColumns - 1; j >= 0; --j) {
    for (Index k = j + 1; k < kColumns; ++k) w[j] -= l[k][j] * w[k];
    w[j] /= l[j][j];
  }
  return w;
}

double product(const Matrix& g, Index i, const std::vector<long double>& w) {
  long double sum = 0;
  for (Index j = 0; j < kColumns; ++j) sum += w[j] * g(i, j);
  return static_cast<double>(sum);
}

TEST(LowRank, SolvesFarFromTheOrigin) {
  const Matrix b = targets();
  for (const double by : kPlaces) {
    for (const double shift : {1e-6, 1e-3, 1.0}) {
      SCOPED_TRACE(::testing::Message() << "moved by " << by << ", a shift of " << shift);
      const Matrix g = moved(by);
      const linalg::LowRank matrix(g, shift);
      const std::vector<long double> w = primal(g, b, shift);
      const Matrix z = matrix.solve(b, Vector{shift}), seen = matrix.seen_part(b, Vector{shift});
      std::vector<long double> of_seen(kColumns);
      for (Index j = 0; j < kColumns; ++j) {
        for (Index i = 0; i < kPoints; ++i) of_seen[j] += static_cast<long double>(g(i, j)) * seen(i, 0);
      }
      for (Index i = 0; i < kPoints; ++i) {
        const double f = product(g, i, w);
        EXPECT_NEAR(b(i, 0) - shift * z(i, 0), f, 1e-9 + 1e-12 * by);
        EXPECT_NEAR(product(g, i, of_seen), f, 1e-9 * std::max(1.0, by));
      }
    }
  }
}

// log |A + s I| = log |G'G + s I| + (n - r) log s, and of the inverse (1 - |L^-1 g_i|^2) / s.
TEST(LowRank, DeterminantAndInverseFarFromTheOrigin) {
  constexpr double kShift = 1e-3;
  for (const double by : kPlaces) {
    SCOPED_TRACE(::testing::Message() << "moved by " << by);
    const Matrix g = moved(by);
    const linalg::LowRank matrix(g, kShift);
    const Exact l = factor(g, kShift);
    long double log = (kPoints - kColumns) * std::log(static_cast<long double>(kShift));
    for (Index j = 0; j < kColumns; ++j) log += 2 * std::log(l[j][j]);
    EXPECT_NEAR(matrix.log_determinant(kShift), static_cast<double>(log), 1e-5);
    const Matrix inverse = matrix.inverse_diagonals(Vector{kShift});
    for (Index i = 0; i < kPoints; ++i) {
      long double squares = 0;
      std::vector<long double> row(kColumns);
      for (Index j = 0; j < kColumns; ++j) {
        row[j] = g(i, j);
        for (Index k = 0; k < j; ++k) row[j] -= l[j][k] * row[k];
        row[j] /= l[j][j];
        squares += row[j] * row[j];
      }
      EXPECT_NEAR(inverse(i, 0) * kShift, static_cast<double>(1 - squares), 1e-6);
    }
  }
}

// Whatever the rank: columns that repeat others change nothing but the scale.
TEST(LowRank, ColumnsThatRepeatOthers) {
  const Matrix g = moved(1e4), b = targets();
  Matrix twice(kPoints, 2 * kColumns);
  for (Index i = 0; i < kPoints; ++i) {
    for (Index j = 0; j < kColumns; ++j) twice(i, j) = g(i, j), twice(i, kColumns + j) = 0.75 * g(i, j);
  }
  constexpr double kShift = 1e-3, kSquare = 1.5625;
  const Matrix z = linalg::LowRank(g, kShift).solve(b, Vector{kShift});
  const Matrix of_twice = linalg::LowRank(twice, kSquare * kShift).solve(b, Vector{kSquare * kShift});
  for (Index i = 0; i < kPoints; ++i) EXPECT_NEAR(kSquare * of_twice(i, 0), z(i, 0), 1e-6 / kShift);
}

// Predictions do not lose what alpha = (y - f) / ridge loses, whether the ridge is given or chosen.
TEST(LowRank, RidgeFarFromTheOrigin) {
  const Matrix y = targets();
  for (const double by : kPlaces) {
    for (const bool chosen : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "moved by " << by << (chosen ? ", chosen" : ""));
      const Matrix x = moved(by);
      KernelRidge config{.ridge = 1e-3};
      if (chosen) config = {.ridge = std::nullopt, .path = {1e-3}};
      const Model model = config.fit(lazy(linear(), rows(x)), Vector(y.data(), y.data() + kPoints));
      const Matrix f = model.predict_targets(rows(x));
      const std::vector<long double> w = primal(x, y, 1e-3);
      for (Index i = 0; i < kPoints; ++i) EXPECT_NEAR(f(i, 0), product(x, i, w), 1e-10 * std::max(1.0, by));
    }
  }
}

}  // namespace
}  // namespace mercer::low_rank_test
