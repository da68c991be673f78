// Solved systems against elimination in long double, whatever their kind.
#include "solve/system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/kernels.hpp"
#include "solve/path.hpp"
#include "solve/regression.hpp"
#include "support.hpp"

namespace mercer::solve::system_test {
namespace {

using test::expect_near;
using test::random_matrix;

constexpr Index kPoints = 40;

// Gauss and Jordan with pivots: the inverse and the logarithm of the determinant.
struct Eliminated {
  Matrix inverse;
  double log_determinant = 0;
};
Eliminated eliminate(const Matrix& a) {
  const Index n = a.rows();
  std::vector<std::vector<long double>> w(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 2 * n; ++j) {
      w[static_cast<std::size_t>(i)].push_back(j < n ? a(i, j) : j - n == i ? 1.0L : 0.0L);
    }
  }
  Eliminated out{Matrix(n, n)};
  for (std::size_t k = 0; k < w.size(); ++k) {
    const auto below = w.begin() + static_cast<std::ptrdiff_t>(k);
    std::iter_swap(below, std::max_element(below, w.end(), [k](const auto& x, const auto& y) {
                     return std::abs(x[k]) < std::abs(y[k]);
                   }));
    out.log_determinant += std::log(std::abs(static_cast<double>(w[k][k])));
    const long double pivot = w[k][k];
    for (long double& value : w[k]) value /= pivot;
    for (std::size_t i = 0; i < w.size(); ++i) {
      const long double factor = i == k ? 0 : w[i][k];
      for (std::size_t j = 0; j < w[i].size() && factor != 0; ++j) w[i][j] -= factor * w[k][j];
    }
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      out.inverse(i, j) = static_cast<double>(w[static_cast<std::size_t>(i)][static_cast<std::size_t>(n + j)]);
    }
  }
  return out;
}

Matrix matrix_of(const Equations& e) {
  const Matrix K = gram(*e.K.kernel(), *e.K.points());
  Matrix out(e.size(), e.size());
  for (Index i = 0; i < e.size(); ++i) {
    for (Index j = 0; j < e.size(); ++j) {
      out(i, j) = e.scale_of(i) * e.scale_of(j) * K(e.point_of(i), e.point_of(j)) / e.unit;
    }
    out(i, i) += e.shift_of(i);
  }
  return out;
}

double largest(const Matrix& m) {
  double out = 0;
  for (Index i = 0; i < m.rows() * m.cols(); ++i) out = std::max(out, std::abs(m.data()[i]));
  return out;
}

// |M|_1 of a symmetric matrix.
double largest_sum(const Matrix& m) {
  double out = 0;
  for (Index i = 0; i < m.rows(); ++i) {
    out = std::max(out, std::accumulate(m.row(i), m.row(i) + m.cols(), 0.0,
                                        [](double sum, double entry) { return sum + std::abs(entry); }));
  }
  return out;
}

struct Case {
  std::string name;
  Equations equations;
  std::string_view method;  // that automatic takes
};

Gram radial() { return lazy(rbf(0.7), rows(random_matrix(kPoints, 3, 1))); }
Gram flat() { return lazy(linear(), rows(random_matrix(kPoints, 3, 2))); }  // three features

Gram line() { return lazy(laplace(0.7), rows(random_matrix(kPoints, 1, 6))); }  // in no order

std::vector<Index> every_other() {
  std::vector<Index> out;
  for (Index i = 1; i < kPoints; i += 2) out.push_back(i);
  return out;
}

Vector growing(Index n, double from) {
  Vector out;
  for (Index i = 0; i < n; ++i) out.push_back(from + 0.05 * static_cast<double>(i));
  return out;
}

std::vector<Case> cases() {
  return {
      {"plain", {.K = radial(), .shift = {0.1}}, "Cholesky"},
      {"in memory", {.K = exact(rbf(0.7), *radial().points()), .shift = {0.1}}, "Cholesky"},
      {"shifts", {.K = radial(), .shift = growing(kPoints, 0.1)}, "Cholesky"},
      {"scaled", {.K = radial(), .scale = growing(kPoints, 0.3), .shift = {0.2}, .unit = 3}, "Cholesky"},
      {"some",
       {.K = radial(), .points = every_other(), .scale = growing(kPoints / 2, 0.5), .shift = {0.2}},
       "Cholesky"},
      {"some in memory",
       {.K = exact(rbf(0.7), *radial().points()),
        .points = every_other(),
        .scale = growing(kPoints / 2, 0.5),
        .shift = growing(kPoints / 2, 1),
        .unit = 0.5},
       "Cholesky"},
      {"features", {.K = flat(), .shift = {0.1}}, "Woodbury"},
      {"features, scaled", {.K = flat(), .scale = growing(kPoints, 0.3), .shift = {0.2}, .unit = 3}, "Woodbury"},
      {"features of some", {.K = flat(), .points = every_other(), .shift = {0.5}}, "Woodbury"},
      {"features, shifts", {.K = flat(), .shift = growing(kPoints, 0.1)}, "Cholesky"},
      {"line", {.K = line(), .scale = growing(kPoints, 0.3), .shift = growing(kPoints, 0.1)}, "state space"},
  };
}

Matrix identity(Index n) {
  Matrix out(n, n);
  for (Index i = 0; i < n; ++i) out(i, i) = 1;
  return out;
}

std::unique_ptr<System> made(const Equations& e, const Wishes& wishes = {}) {
  Made out = system_for(e, wishes, {});
  EXPECT_NE(out.system, nullptr);
  return std::move(out.system);
}

TEST(System, AnswersWhatEliminationDoes) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Matrix A = matrix_of(c.equations);
    const Eliminated truth = eliminate(A);
    const Index n = A.rows();
    const double tolerance = 1e-11 * largest(truth.inverse);
    const std::unique_ptr<System> system = made(c.equations);
    EXPECT_EQ(system->certificate().method, c.method);
    ASSERT_EQ(system->size(), n);

    Matrix z = identity(n);
    EXPECT_TRUE(system->solve(z).direct);
    expect_near(z, truth.inverse, tolerance);
    EXPECT_TRUE(system->log_determinant().exact());
    EXPECT_NEAR(system->log_determinant().middle(), truth.log_determinant, 1e-10);

    Matrix root = identity(n);
    system->solve_root(root);
    Matrix turned(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) turned(j, i) = root(i, j);
    }
    expect_near(test::product(root, turned), truth.inverse, tolerance);

    expect_near(product(c.equations, identity(n), {}), A, 1e-12);
    Vector diagonal = std::move(*system->clone()).inverse_diagonal({}).values;
    const std::unique_ptr<Inverse> inverse = std::move(*system->clone()).inverse({});
    EXPECT_EQ(inverse->diagonal().size(), diagonal.size());
    for (Index i = 0; i < n; ++i) {
      EXPECT_NEAR(diagonal[static_cast<std::size_t>(i)], truth.inverse(i, i), tolerance);
      EXPECT_NEAR(inverse->diagonal()[static_cast<std::size_t>(i)], truth.inverse(i, i), tolerance);
    }
    expect_near(inverse->multiply(random_matrix(n, 3, 4)), test::product(truth.inverse, random_matrix(n, 3, 4)),
                10 * tolerance);
    const Range i{n / 2, n - 1}, j{2, n / 2 + 1};
    Matrix tile(i.size(), j.size());
    inverse->tile(i, j, tile.data());
    for (Index a = i.begin; a < i.end; ++a) {
      for (Index b = j.begin; b < std::min(j.end, a + 1); ++b) {
        EXPECT_NEAR(tile(a - i.begin, b - j.begin), truth.inverse(a, b), tolerance);
      }
    }
    const Matrix lower = std::move(*std::move(*system->clone()).inverse({})).lower();
    for (Index a = 0; a < n; ++a) {
      for (Index b = 0; b <= a; ++b) EXPECT_NEAR(lower(a, b), truth.inverse(a, b), tolerance);
    }
    const std::vector<Range> blocks = {{0, 1}, {3, n / 2}, {n - 4, n}};
    std::vector<int> taken(blocks.size());
    std::move(*system->clone())
        .inverse_blocks(blocks,
                        [&](Index b, MatrixRef block) {
                          const Range F = blocks[static_cast<std::size_t>(b)];
                          ++taken[static_cast<std::size_t>(b)];
                          for (Index p = 0; p < F.size(); ++p) {
                            for (Index q = 0; q <= p; ++q) {
                              EXPECT_NEAR(block(p, q), truth.inverse(F.begin + p, F.begin + q), tolerance);
                            }
                          }
                        },
                        {});
    EXPECT_EQ(taken, std::vector<int>(blocks.size(), 1));
    // What others used up was theirs.
    Matrix again = identity(n);
    system->solve(again);
    expect_near(again, z, 0);
  }
}

TEST(System, CertifiesWhatItDid) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Matrix A = matrix_of(c.equations), inverse = eliminate(A).inverse;
    double trace = 0, least = c.equations.shift_of(0);
    for (Index i = 0; i < A.rows(); ++i) {
      trace += A(i, i) - c.equations.shift_of(i);
      least = std::min(least, c.equations.shift_of(i));
    }
    const Certificate plain = made(c.equations)->certificate();
    EXPECT_NEAR(plain.trace, trace, 1e-11 * trace);
    EXPECT_NEAR(plain.condition_bound, (trace + least) / least, 1e-9 * (trace + least) / least);
    EXPECT_EQ(plain.jitter, 0);
    EXPECT_FALSE(plain.condition.has_value());
    const auto n = static_cast<double>(A.rows());
    if (c.method == "state space") {  // of one state
      EXPECT_LT(plain.bytes, 8 * n * 8);
      EXPECT_EQ(plain.rank, 1);
    } else {
      EXPECT_EQ(plain.bytes, c.method == "Woodbury" ? 3 * n * 8 : n * n * 8);
      EXPECT_EQ(plain.rank, c.method == "Woodbury" ? 3 : A.rows());
    }
    const std::optional<double> condition = made(c.equations, {.doubtful = 0.0})->certificate().condition;
    ASSERT_TRUE(condition.has_value());
    EXPECT_GT(*condition, 1);
    EXPECT_LT(*condition, 10 * plain.condition_bound);
    if (c.method == "state space") {  // |A|_1 |A^-1|_1 from below, and here no less
      const double exact = largest_sum(A) * largest_sum(inverse);
      EXPECT_NEAR(*condition, exact, 1e-6 * exact);
    }
    EXPECT_FALSE(made(c.equations, {.doubtful = 1e30})->certificate().condition.has_value());
  }
}

TEST(System, DenseWhereThatIsAskedFor) {
  const Equations e{.K = flat(), .shift = {0.1}};
  const std::unique_ptr<System> system = made(e, {.method = Method::dense});
  EXPECT_EQ(system->certificate().method, "Cholesky");
  Matrix one = random_matrix(kPoints, 2, 3), other = one;
  system->solve(one);
  made(e)->solve(other);
  expect_near(one, other, 1e-11);
}

// Room is asked for before it is taken, and only by who takes it.
TEST(System, AsksForRoom) {
  Index asked = 0;
  const Wishes wishes{.require = [&](Index n) { asked = n; }};
  made({.K = flat(), .shift = {0.1}}, wishes);
  EXPECT_EQ(asked, 0);
  made({.K = radial(), .points = every_other(), .shift = {0.1}}, wishes);
  EXPECT_EQ(asked, kPoints / 2);
}

TEST(System, OneAfterTheOtherUseTheSameStorage) {
  const auto storage = std::make_shared<Storage>();
  const Wishes wishes{.method = Method::dense, .storage = storage};
  const Equations e{.K = radial(), .shift = {0.1}};
  made(e, wishes).reset();
  const double* const first = storage->square.data();
  ASSERT_NE(first, nullptr);
  std::unique_ptr<System> system = made(e, wishes);
  EXPECT_EQ(storage->square.rows(), 0);
  std::move(*system).inverse({}).reset();
  system.reset();
  EXPECT_EQ(storage->square.data(), first);
}

// Two equal points and no shift.
TEST(System, SaysAtWhichPivotItFails) {
  const Gram K = lazy(rbf(1), rows(Matrix{{0.0}, {1.0}, {0.0}}));
  const Made none = system_for({.K = K}, {}, {});
  EXPECT_EQ(none.system, nullptr);
  EXPECT_EQ(none.pivot, 3);
  EXPECT_NEAR(none.trace, 3, 1e-15);
  const Made mended = system_for({.K = K}, {.jitter = true}, {});
  ASSERT_NE(mended.system, nullptr);
  EXPECT_GT(mended.system->certificate().jitter, 0);
  EXPECT_LT(mended.system->certificate().jitter, 1e-13);
}

// What no rounding explains is not mended.
TEST(System, AnIndefiniteMatrixStaysOne) {
  const Gram K = precomputed(Matrix{{1.0, 2.0}, {2.0, 1.0}});
  const Made none = system_for({.K = K, .shift = {0.1}}, {.jitter = true}, {});
  EXPECT_EQ(none.system, nullptr);
  EXPECT_EQ(none.pivot, 2);
  EXPECT_LT(none.jitter, 1e-4);
}

TEST(System, GrowsByPoints) {
  for (const Gram& K : {radial(), flat()}) {
    const Equations all{.K = K, .scale = growing(kPoints, 0.4), .shift = growing(kPoints, 0.2)};
    Equations some = all;
    for (Index i = 0; i < kPoints - 7; ++i) some.points.push_back(i);
    some.scale.resize(some.points.size());
    some.shift.resize(some.points.size());
    const Made grown = extended(*made(some), all, {});
    ASSERT_NE(grown.system, nullptr);
    const std::unique_ptr<System> whole = made(all);
    EXPECT_NEAR(grown.system->log_determinant().middle(), whole->log_determinant().middle(), 1e-10);
    EXPECT_NEAR(grown.system->certificate().trace, whole->certificate().trace, 1e-12);
    Matrix one = random_matrix(kPoints, 2, 5), other = one;
    grown.system->solve(one);
    whole->solve(other);
    expect_near(one, other, 1e-11);
  }
}

TEST(System, GrowsFromFewFeaturesToo) {
  const Equations all{.K = flat(), .shift = {0.3}};
  Equations some = all;
  for (Index i = 0; i < kPoints - 5; ++i) some.points.push_back(i);
  const Made grown = extended(*made(some), all, {});
  ASSERT_NE(grown.system, nullptr);
  EXPECT_EQ(grown.system->size(), kPoints);
  Matrix one = random_matrix(kPoints, 1, 6), other = one;
  grown.system->solve(one);
  made(all)->solve(other);
  expect_near(one, other, 1e-12);
}

TEST(SystemPath, IsOneSystemAfterTheOther) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Equations e = c.equations;
    e.shift = {};
    const Matrix b = random_matrix(e.size(), 2, 7);
    double told = 0;
    const Path path = path_for(e, b,
                               [&](double trace) {
                                 told = trace;
                                 return Vector{0.01, 0.3, 4};
                               },
                               {}, {});
    EXPECT_EQ(told, path.trace);
    ASSERT_EQ(path.all.z.size(), 3U);
    for (std::size_t s = 0; s < 3; ++s) {
      e.shift = {path.shifts[s]};
      const Matrix inverse = eliminate(matrix_of(e)).inverse;
      expect_near(path.all.z[s], test::product(inverse, b), 1e-9 / path.shifts[s]);
      for (Index i = 0; i < e.size(); ++i) {
        EXPECT_NEAR(path.all.inverse_diagonals(i, static_cast<Index>(s)), inverse(i, i), 1e-10 / path.shifts[s]);
      }
    }
  }
}

// The normal equations of generalised least squares, by elimination.
TEST(SystemRegression, IsGeneralisedLeastSquares) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Index n = c.equations.size();
    const Matrix inverse = eliminate(matrix_of(c.equations)).inverse, y = random_matrix(n, 2, 8);
    Matrix H = random_matrix(n, 2, 9);
    for (Index i = 0; i < n; ++i) H(i, 0) = 1;
    Matrix turned(2, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < 2; ++j) turned(j, i) = H(i, j);
    }
    const Matrix solved = test::product(inverse, H), small = test::product(turned, solved);
    const Matrix b = test::product(eliminate(small).inverse, test::product(turned, test::product(inverse, y)));
    Matrix rest = y;
    const Matrix trend = test::product(H, b);
    for (Index i = 0; i < n; ++i) {
      for (Index t = 0; t < 2; ++t) rest(i, t) -= trend(i, t);
    }
    const std::optional<Regression> found = regression(*made(c.equations), H, y);
    ASSERT_TRUE(found.has_value());
    const double tolerance = 1e-10 * largest(inverse);
    expect_near(found->b, b, 1e-9);
    expect_near(found->alpha, test::product(inverse, rest), 10 * tolerance);
    expect_near(found->trend.solved, solved, tolerance);
    for (Index i = 0; i < n; ++i) H(i, 1) = 0;
    EXPECT_FALSE(regression(*made(c.equations), H, y).has_value());
    const std::optional<Regression> none = regression(*made(c.equations), Matrix(n, 0), y);
    ASSERT_TRUE(none.has_value());
    expect_near(none->alpha, test::product(inverse, y), tolerance);
  }
}

}  // namespace
}  // namespace mercer::solve::system_test
