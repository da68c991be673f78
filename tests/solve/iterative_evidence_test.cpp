// What probes say of log |A| and its slopes, and what is certain of quadratic forms and variances, against Cholesky
// factors.
#include <gtest/gtest.h>

#include <cmath>

#include "linalg/conjugate_gradient.hpp"
#include "linalg/lapack.hpp"
#include "mercer/kernels.hpp"
#include "solve/lanczos.hpp"
#include "solve/partial_cholesky.hpp"
#include "solve/system.hpp"
#include "support.hpp"

namespace mercer::solve::iterative_evidence_test {
namespace {

Equations cloud(Index n, double shift, unsigned seed = 7, const char* kernel = "1.5*matern(nu=1.5, ell=[0.5, 1, 2])") {
  return {.K = lazy(parse(kernel), rows(test::random_matrix(n, 3, seed))), .shift = {shift}};
}

// e_j'log(A) e_j, from steps that begin at e_j: as many as there are rows give it, fewer bracket it.
TEST(Lanczos, RulesBracketTheLogarithm) {
  constexpr Index n = 12;
  Equations e = cloud(n, 1.0);  // no eigenvalue is below 1
  const Matrix A = assembled(e, {});
  Matrix shifted = A;
  for (Index i = 0; i < n; ++i) shifted(i, i) += 1;
  const linalg::Eigen eigen = linalg::eigen(shifted);
  const linalg::LinearSystem system{.apply = [&](MatrixView v, MatrixView, MatrixRef out) {
    const Matrix found = product(e, v, {});
    for (Index i = 0; i < n; ++i) out(i, 0) = found(i, 0);
  }};
  for (const Index j : {0, 5, 11}) {
    double truth = 0;
    for (Index k = 0; k < n; ++k) truth += eigen.vectors(k, j) * eigen.vectors(k, j) * std::log(eigen.values[k]);
    Matrix unit(n, 1);
    unit(j, 0) = 1;
    double width = 1e9;
    for (const int steps : {1, 2, 4, 12}) {
      const auto found = linalg::conjugate_gradients(system, unit, {.enough = 0, .most = steps});
      const Interval rules = log_between_rules(found.lengths[0], found.ratios[0]);
      EXPECT_LE(rules.low, truth + 1e-10) << steps;
      EXPECT_GE(rules.high, truth - 1e-10) << steps;
      EXPECT_LT(rules.high - rules.low, width) << steps;
      width = rules.high - rules.low;
    }
    EXPECT_LT(width, 1e-8);
  }
}

TEST(Lanczos, NoStepsAreTheLogarithmOfOne) { EXPECT_TRUE(log_between_rules({}, {}).exact()); }

// Three standard errors hold in nearly all of many problems, and say more than the bounds that always hold.
TEST(IterativeEvidence, ProbesHoldTheDeterminant) {
  int held = 0, narrower = 0;
  constexpr int kProblems = 60;
  for (unsigned seed = 1; seed <= kProblems; ++seed) {
    const Equations e = cloud(120, 0.05, seed);
    const double truth = system_for(e, {.method = Method::dense}, {}).system->log_determinant().middle();
    const Wishes certain{.method = Method::iterative, .rank = 20};
    Wishes probed = certain;
    probed.probes = 16;
    const Interval bounds = system_for(e, certain, {}).system->log_determinant(),
                   found = system_for(e, probed, {}).system->log_determinant();
    EXPECT_GE(found.low, bounds.low);
    EXPECT_LE(found.high, bounds.high);
    held += found.low <= truth && truth <= found.high ? 1 : 0;
    narrower += found.high - found.low < 0.5 * (bounds.high - bounds.low) ? 1 : 0;
  }
  EXPECT_GE(held, kProblems - 2);
  EXPECT_GE(narrower, kProblems - 2);
}

// With many probes the slopes are those of the factor, as near as the probes are many.
TEST(IterativeEvidence, SlopesAreThoseOfTheFactor) {
  constexpr Index n = 60;
  const Equations e = cloud(n, 0.1);
  const Matrix b = test::random_matrix(n, 2, 3);
  Matrix solved = b;
  system_for(e, {.method = Method::dense}, {}).system->solve(solved);
  const std::unique_ptr<Inverse> inverse = std::move(*system_for(e, {.method = Method::dense}, {}).system).inverse({});
  const Matrix all = std::move(*inverse).lower();
  const auto W = [&](Index i, Index j) {
    return 0.5 * (solved(i, 0) * solved(j, 0) + solved(i, 1) * solved(j, 1)) - all(std::max(i, j), std::min(i, j));
  };
  Vector by_parameter = e.K.gradient([&](Range i, Range j, double* w) {
    for (Index a = i.begin; a < i.end; ++a) {
      for (Index c = j.begin; c < j.end; ++c) *w++ = c < a ? 2 * W(a, c) : c == a ? W(a, a) : 0;
    }
  });
  const Made made = system_for(e, {.method = Method::iterative, .tolerance = 1e-10, .rank = 10, .probes = 3000}, {});
  const auto found = made.system->slopes(b, solved);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->by_parameter.size(), by_parameter.size());
  for (std::size_t p = 0; p < by_parameter.size(); ++p) {
    EXPECT_NEAR(found->by_parameter[p], by_parameter[p], 0.02 * std::abs(by_parameter[p]) + 0.3) << p;
  }
  double sum = 0, truth = 0;
  for (Index i = 0; i < n; ++i) {
    sum += found->by_shift[static_cast<std::size_t>(i)];
    truth += W(i, i);
  }
  EXPECT_NEAR(sum, truth, 0.02 * std::abs(truth) + 0.5);
}

TEST(IterativeEvidence, AQuadraticFormLiesBetweenItsBounds) {
  constexpr Index n = 80;
  const Equations e = cloud(n, 0.01);
  const Matrix b = test::random_matrix(n, 1, 3);
  const Made dense = system_for(e, {.method = Method::dense}, {}),
             made = system_for(e, {.method = Method::iterative, .rank = 30}, {});
  Matrix solved = b;
  dense.system->solve(solved);
  const VectorView side(b.data(), n);
  const Interval truth = dense.system->quadratic(side, VectorView(solved.data(), n), {});
  EXPECT_TRUE(truth.exact());
  for (const double share : {0.5, 0.9, 1.0, 1.1}) {  // of the solution, which need be none
    Vector crude(solved.data(), solved.data() + n);
    for (double& x : crude) x *= share;
    const Interval found = made.system->quadratic(side, crude, {});
    EXPECT_LE(found.low, truth.low * (1 + 1e-12));
    EXPECT_GE(found.high, truth.low * (1 - 1e-12));
    EXPECT_EQ(share == 1.0, found.high - found.low < 1e-9 * truth.low) << share;
  }
}

TEST(IterativeEvidence, VariancesAreAboveAndNear) {
  for (const bool scaled : {false, true}) {
    Equations e = cloud(150, 0.02);
    for (Index i = 0; scaled && i < 150; ++i) e.scale.push_back(0.5 + 0.01 * static_cast<double>(i));
    if (scaled) e.unit = 2;
    const Points x = rows(test::random_matrix(70, 3, 21));
    const Made dense = system_for(e, {.method = Method::dense}, {}),
               made = system_for(e, {.method = Method::iterative}, {});
    const std::optional<Vector> found = made.system->variances(x);
    ASSERT_TRUE(found);
    Matrix k = cross(*e.K.kernel(), x, *e.K.points());
    for (Index i = 0; i < x.size(); ++i) {
      for (Index j = 0; j < k.cols(); ++j) k(i, j) *= e.scale_of(j);
    }
    dense.system->solve_root(k);
    const Vector prior = diagonal(*e.K.kernel(), x);
    for (Index i = 0; i < x.size(); ++i) {
      double exact = prior[static_cast<std::size_t>(i)];
      for (Index j = 0; j < k.cols(); ++j) exact -= k(i, j) * k(i, j) / e.unit;
      const double one = (*found)[static_cast<std::size_t>(i)];
      EXPECT_GE(one, exact - 1e-12);
      EXPECT_NEAR(one, exact, 1e-7);
    }
  }
}

// Pivots that are taken again give the same factor, and what one batch repeats has nothing left.
TEST(IterativeEvidence, PivotsCanBeTakenAgain) {
  const Equations e = cloud(90, 0.1);
  PartialCholesky drawn(e, 40, 5), again(e, 40, 6);
  drawn.grow(25, {});
  std::vector<Index> twice = drawn.pivots();
  twice.insert(twice.end(), drawn.pivots().begin(), drawn.pivots().end());
  again.grow_by(twice, {});
  ASSERT_EQ(again.pivots(), drawn.pivots());
  for (Index k = 0; k < 25; ++k) {
    for (Index j = 0; j < 90; ++j) EXPECT_NEAR(again.factor()(k, j), drawn.factor()(k, j), 1e-10);
  }
  // A system leaves its pivots for the next, whose log |A| then moves with the shift alone.
  const auto storage = std::make_shared<Storage>();
  const auto at_shift = [&](double shift) {
    return system_for(cloud(90, shift), {.method = Method::iterative, .rank = 15, .probes = 8, .storage = storage}, {})
        .system->log_determinant()
        .middle();
  };
  const double h = 1e-4, middle = at_shift(0.1);
  ASSERT_EQ(storage->pivots.size(), 15u);
  EXPECT_NEAR(at_shift(0.1 + h) - middle, middle - at_shift(0.1 - h), 1e-2 * std::abs(at_shift(0.1 + h) - middle));
}

}  // namespace
}  // namespace mercer::solve::iterative_evidence_test
