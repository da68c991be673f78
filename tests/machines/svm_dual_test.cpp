// The solver of the dual against a slow one, and against the KKT conditions where a slow one would be too slow.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "machines/svm/dual.hpp"
#include "machines/svm/interior_point.hpp"
#include "machines/svm/row_store_state.hpp"
#include "machines/svm/start.hpp"
#include "machines/svm_data.hpp"
#include "machines/svm_oracle.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::svm_dual_test {
namespace {

using namespace test;
using detail::DualOptions;
using detail::DualProblem;
using detail::DualSolution;
using detail::Rows;
using detail::RowStore;
using detail::solve;

Rows rows_on(const Gram& K, std::size_t memory = 0) {
  return Rows(std::make_shared<RowStore>(K, std::span<const Index>{}, memory, Execution{}));
}

double sign_of(Index i) { return i % 2 == 0 ? -1 : 1; }

// C-SVC: classes alternate, as in the samples.
DualProblem c_svc(Index n, double C, bool bias = true) {
  DualProblem p;
  for (Index i = 0; i < n; ++i) {
    p.point.push_back(i);
    p.linear.push_back(-sign_of(i));
    p.lower.push_back(std::min(0.0, sign_of(i) * C));
    p.upper.push_back(std::max(0.0, sign_of(i) * C));
    p.start.push_back(0);
    if (bias) p.group.push_back(0);
  }
  return p;
}

DualProblem nu_svc(Index n, double nu) {
  DualProblem p = c_svc(n, 1);
  for (Index i = 0; i < n; ++i) {
    p.linear[at(i)] = 0;
    p.group[at(i)] = sign_of(i) < 0;
    p.start[at(i)] = sign_of(i) * nu;
  }
  return p;
}

// Two variables for each point.
DualProblem svr(const Vector& y, double C, double epsilon, bool nu) {
  DualProblem p;
  for (const double side : {1.0, -1.0}) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      p.point.push_back(static_cast<Index>(i));
      p.linear.push_back(side * epsilon - y[i]);
      p.lower.push_back(std::min(0.0, side * C));
      p.upper.push_back(std::max(0.0, side * C));
      p.start.push_back(nu ? side * C / 4 : 0);
      p.group.push_back(nu && side < 0);
    }
  }
  return p;
}

DualProblem one_class(Index n, double nu) {
  DualProblem p = c_svc(n, 1);
  for (std::size_t i = 0; i < at(n); ++i) {
    p.linear[i] = p.lower[i] = 0;
    p.upper[i] = 1;
    p.start[i] = nu;
  }
  return p;
}

// Every fifth variable stays where it is, inside or at the rim of what was its box.
DualProblem frozen(DualProblem p) {
  for (std::size_t v = 0; v < p.start.size(); v += 5) {
    p.start[v] = p.lower[v] = p.upper[v] = v % 2 == 0 ? 0 : 0.5 * (p.lower[v] + p.upper[v]);
  }
  return p;
}

std::array<double, 2> sums_of(const DualProblem& p, const Vector& b) {
  std::array<double, 2> out{};
  for (std::size_t v = 0; v < p.group.size(); ++v) out[p.group[v]] += b[v];
  return out;
}

void expect_feasible(const DualProblem& p, const Vector& b) {
  ASSERT_EQ(b.size(), p.start.size());
  double size = 1;
  for (std::size_t v = 0; v < b.size(); ++v) {
    ASSERT_GE(b[v], p.lower[v]);
    ASSERT_LE(b[v], p.upper[v]);
    size += std::abs(b[v]);
  }
  for (std::size_t g = 0; g < 2; ++g) EXPECT_NEAR(sums_of(p, b)[g], sums_of(p, p.start)[g], 1e-12 * size);
}

// That the solution is what it says: f = K b, the gap and the objective from it, all in double precision.
void expect_consistent(const DualProblem& p, const DualSolution& s, const Gram& K) {
  expect_feasible(p, s.b);
  Vector by_point(at(K.size()));
  for (std::size_t v = 0; v < s.b.size(); ++v) by_point[at(p.point[v])] += s.b[v];
  const Vector f = K.multiply(VectorView(by_point));
  ASSERT_EQ(s.f.size(), f.size());
  double size = 1, error = 0, objective = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    size = std::max(size, std::abs(f[i]));
    error = std::max(error, std::abs(s.f[i] - f[i]));
  }
  EXPECT_LE(error, 1e-10 * size);
  Vector g = p.linear;
  for (std::size_t v = 0; v < g.size(); ++v) {
    g[v] += f[at(p.point[v])];
    objective += s.b[v] * (g[v] + p.linear[v]) / 2;
  }
  const Violation worst = violation(p, s.b, g);
  EXPECT_NEAR(s.gap, worst.gap, 1e-9 * size);
  EXPECT_NEAR(s.objective, objective, 1e-9 * std::max(1.0, std::abs(objective)));
  if (!p.group.empty()) {
    EXPECT_NEAR(s.level[0], worst.level[0], 1e-9 * size);
    EXPECT_NEAR(s.level[1], worst.level[1], 1e-9 * size);
  }
}

struct Problem {
  std::string name;
  DualProblem dual;
};

std::vector<Problem> small_problems(Index n) {
  const Sample wave = friedman(n);
  std::vector<Problem> out{{"C-SVC", c_svc(n, 3)},
                           {"C-SVC without bias", c_svc(n, 3, false)},
                           {"nu-SVC", nu_svc(n, 0.4)},
                           {"SVR", svr(wave.target, 2, 0.1, false)},
                           {"nu-SVR", svr(wave.target, 2, 0, true)},
                           {"one-class", one_class(n, 0.3)}};
  DualProblem no_bias = svr(wave.target, 2, 0.1, false);
  no_bias.group.clear();
  out.push_back({"SVR without bias", no_bias});
  for (std::size_t k = 0; k < 7; ++k) out.push_back({out[k].name + ", some frozen", frozen(out[k].dual)});
  return out;
}

TEST(Dual, AgreesWithTheSlowSolverOnEveryShape) {
  const Index n = 60;
  const Matrix x = random_matrix(n, 3, 60);
  for (const Kernel& k : {rbf(1), matern(1.5, 1), 0.3 * linear() + 0.2 * rbf(0.5)}) {
    const Gram K = lazy(k, rows(x.view()));
    const Matrix all = gram(k, rows(x.view()));
    for (const Problem& p : small_problems(n)) {
      SCOPED_TRACE(k.str() + ", " + p.name);
      const DualSolution truth = oracle(p.dual, all, 1e-7);
      ASSERT_TRUE(truth.converged);
      const DualSolution found = solve(p.dual, rows_on(K), {.tolerance = 1e-5}, {});
      EXPECT_TRUE(found.converged) << found.stopped;
      EXPECT_EQ(found.stopped, "optimal to the tolerance");
      EXPECT_LE(found.gap, 1e-5);
      expect_consistent(p.dual, found, K);
      EXPECT_NEAR(found.objective, truth.objective, 1e-5 * std::max(1.0, std::abs(truth.objective)));
      expect_close(found.f, truth.f, 2e-3);
    }
  }
}

TEST(Dual, TheInteriorPointMethodAgreesWithTheSlowSolverOnEveryShape) {
  const Index n = 60;
  const Matrix x = random_matrix(n, 3, 60);
  for (const Kernel& k : {rbf(1), 0.3 * linear() + 0.2 * rbf(0.5)}) {
    const Gram K = lazy(k, rows(x.view()));
    const Matrix all = gram(k, rows(x.view()));
    for (const Problem& p : small_problems(n)) {
      SCOPED_TRACE(k.str() + ", " + p.name);
      const DualSolution truth = oracle(p.dual, all, 1e-7);
      Vector by_point(at(n));
      for (std::size_t v = 0; v < p.dual.start.size(); ++v) by_point[at(p.dual.point[v])] += p.dual.start[v];
      const Vector f = K.multiply(VectorView(by_point));
      const detail::InteriorPoint found =
          detail::interior_point(p.dual, rows_on(K), 1, p.dual.start, f, 1e-6, [] { return true; });
      EXPECT_LE(found.iterations, 40);
      EXPECT_LE(found.gap, 1e-6);
      expect_feasible(p.dual, found.b);
      const Vector g = dual_gradient(p.dual, all, found.b);
      EXPECT_NEAR(violation(p.dual, found.b, g).gap, found.gap, 1e-9);
      double objective = 0;
      for (std::size_t v = 0; v < g.size(); ++v) objective += found.b[v] * (g[v] + p.dual.linear[v]) / 2;
      EXPECT_NEAR(objective, truth.objective, 1e-6 * std::max(1.0, std::abs(truth.objective)));
    }
  }
}

TEST(Dual, TheInteriorPointMethodWithoutAnInside) {
  // nu as large as there are points of the smaller side: its variables are all at their bound, and the others decide.
  const Index n = 40;
  const Matrix x = random_matrix(n, 2, 7);
  const Gram K = lazy(rbf(1), rows(x.view()));
  DualProblem p = nu_svc(n, 1);
  for (std::size_t v = 0; v < at(n); ++v) {
    if (sign_of(static_cast<Index>(v)) > 0) continue;
    p.lower[v] = -2;  // a side twice as large
  }
  const Vector f = K.multiply(VectorView(p.start));
  const detail::InteriorPoint found = detail::interior_point(p, rows_on(K), 1, p.start, f, 1e-6, [] { return true; });
  const Matrix all = gram(rbf(1), rows(x.view()));
  expect_feasible(p, found.b);
  EXPECT_LE(violation(p, found.b, dual_gradient(p, all, found.b)).gap, 1e-6);
}

TEST(Dual, PointsFewAndAlike) {
  for (const Index n : {1, 2, 3}) {
    for (const Matrix& x : {random_matrix(n, 2, 61), Matrix(n, 2, 1.0)}) {
      const Gram K = lazy(rbf(1), rows(x));
      for (const Problem& p : small_problems(n)) {
        SCOPED_TRACE(p.name + ", n = " + std::to_string(n));
        const DualSolution truth = oracle(p.dual, gram(rbf(1), rows(x)), 1e-7);
        const DualSolution found = solve(p.dual, rows_on(K), {}, {});
        EXPECT_TRUE(found.converged) << found.stopped;
        expect_consistent(p.dual, found, K);
        EXPECT_NEAR(found.objective, truth.objective, 1e-2);
      }
    }
  }
}

TEST(Dual, NothingToSolve) {
  const Gram K = lazy(rbf(1), rows(random_matrix(4, 2, 62)));
  const DualSolution none = solve({}, rows_on(K), {}, {});
  EXPECT_TRUE(none.converged);
  EXPECT_EQ(none.f, Vector(4));
  DualProblem p = c_svc(4, 1);
  p.lower = p.upper = p.start = {0, 0.5, -0.5, 0};
  const DualSolution fixed = solve(p, rows_on(K), {}, {});
  EXPECT_TRUE(fixed.converged);
  EXPECT_EQ(fixed.b, p.start);
  expect_consistent(p, fixed, K);
}

// More variables than one working set holds.
TEST(Dual, LargeProblemsMeetTheConditionsInDoublePrecision) {
  const Index n = 3000;
  const Sample s = moons(n, 0.3), wave = sine(n / 2);
  const Gram K = lazy(rbf(0.5), s.points()), L = lazy(rbf(0.7), wave.points());
  const auto check = [](const std::string& name, const DualProblem& p, const Gram& gram) {
    SCOPED_TRACE(name);
    const DualSolution found = solve(p, rows_on(gram), {}, {});
    EXPECT_TRUE(found.converged) << found.stopped;
    EXPECT_LE(found.gap, 1e-3);
    EXPECT_GT(found.rounds, 1);
    expect_consistent(p, found, gram);
  };
  check("C-SVC", c_svc(n, 10), K);
  check("without bias", c_svc(n, 10, false), K);
  check("nu-SVC", nu_svc(n, 0.2), K);
  check("some frozen", frozen(c_svc(n, 10)), K);
  check("SVR", svr(wave.target, 2, 0.1, false), L);
  check("nu-SVR", svr(wave.target, 2, 0, true), L);
  check("one-class", one_class(n, 0.1), K);
}

TEST(Dual, StartAndMemoryDoNotMatter) {
  const Index n = 2000;
  const Sample s = moons(n, 0.3);
  const Gram K = lazy(rbf(0.5), s.points());
  const DualProblem p = c_svc(n, 5);
  const DualSolution found = solve(p, rows_on(K), {.tolerance = 1e-4}, {});
  for (const std::size_t memory : {std::size_t{1}, std::size_t{1} << 20}) {
    const DualSolution streamed = solve(p, rows_on(K, memory), {.tolerance = 1e-4}, {});
    EXPECT_TRUE(streamed.converged);
    EXPECT_NEAR(streamed.objective, found.objective, 1e-6 * std::abs(found.objective));
    expect_consistent(p, streamed, K);
  }
  DualProblem warm = p;
  detail::begin_near(warm, found.b, {0, 0});
  const DualSolution again = solve(warm, rows_on(K), {.tolerance = 1e-4}, {});
  EXPECT_TRUE(again.converged);
  EXPECT_EQ(again.steps, 0);
  Vector half = found.b;
  for (double& b : half) b *= 0.5;
  detail::begin_near(warm, half, {0, 0});
  const DualSolution other = solve(warm, rows_on(K), {.tolerance = 1e-4}, {});
  EXPECT_TRUE(other.converged);
  EXPECT_NEAR(other.objective, found.objective, 1e-6 * std::abs(found.objective));
}

// However small the work, it is cut up.
TEST(Dual, ThreadsDoNotShow) {
  const Index n = 2500;
  const Sample s = moons(n, 0.3);
  for (const Kernel& k : {rbf(0.5), matern(1.5, 0.5)}) {
    const Gram K = lazy(k, s.points());
    const DualSolution one = solve(c_svc(n, 10), rows_on(K), {}, {.threads = 1});
    for (const int threads : {2, 3}) {
      const Rows rows = rows_on(K);
      rows.store().state().small_work = 0;
      const DualSolution found = solve(c_svc(n, 10), rows, {}, {.threads = threads});
      EXPECT_EQ(found.b, one.b);
      EXPECT_EQ(found.f, one.f);
      EXPECT_EQ(found.steps, one.steps);
    }
  }
}

// c K with bounds C / c is the same problem; for a power of 2 even to the last bit.
TEST(Dual, TheScaleOfTheKernelDoesNotShow) {
  const Index n = 500;
  const Sample s = moons(n, 0.3);
  for (const bool bias : {true, false}) {
    const DualSolution plain = solve(c_svc(n, 4, bias), rows_on(lazy(rbf(0.5), s.points())), {}, {});
    ASSERT_TRUE(plain.converged);
    for (const double c : {0x1p-50, 0x1p50}) {
      const DualSolution found = solve(c_svc(n, 4 / c, bias), rows_on(lazy(c * rbf(0.5), s.points())), {}, {});
      EXPECT_EQ(found.steps, plain.steps);
      EXPECT_EQ(found.f, plain.f);
      Vector b = found.b;
      for (double& value : b) value *= c;
      EXPECT_EQ(b, plain.b);
    }
  }
}

// ---- ending early ----

TEST(Dual, InterruptedItGivesTheFeasiblePointReached) {
  const Index n = 2500;
  const Sample s = moons(n, 0.3);
  const Gram K = lazy(rbf(0.5), s.points());
  const DualProblem p = c_svc(n, 10);
  for (const int after : {0, 1, 3}) {
    int reports = 0;
    const DualSolution found =
        solve(p, rows_on(K), {}, {.monitor = Monitor([&](const Progress&) { return reports++ < after; })});
    EXPECT_FALSE(found.converged);
    EXPECT_EQ(found.stopped, "interrupted");
    EXPECT_EQ(reports, after + 1);
    expect_feasible(p, found.b);
    EXPECT_EQ(found.b == p.start, after == 0);
  }
}

// Cancelled while it certifies, it has certified nothing.
TEST(Dual, InterruptedNearTheEndItDoesNotClaimToHaveConverged) {
  const Index n = 3200;
  const Sample s = moons(n, 1.5);  // most points are support vectors
  const Gram K = lazy(rbf(0.5), s.points());
  const DualProblem p = c_svc(n, 1);
  const auto solve_until = [&](int after) {
    int reports = 0;
    DualSolution found =
        solve(p, rows_on(K), {}, {.monitor = Monitor([&](const Progress&) { return reports++ < after; })});
    return std::pair(std::move(found), reports);
  };
  const int all = solve_until(1 << 30).second;
  for (int after = std::max(0, all - 4); after <= all; ++after) {
    SCOPED_TRACE(::testing::Message() << "after " << after << " of " << all << " reports");
    const DualSolution found = solve_until(after).first;
    expect_feasible(p, found.b);
    EXPECT_EQ(found.converged, after == all) << found.stopped;
    EXPECT_EQ(found.stopped, after == all ? "optimal to the tolerance" : "interrupted");
    if (found.converged) expect_consistent(p, found, K);
  }
}

TEST(Dual, ALimitEndsItWithFiguresInDoublePrecision) {
  const Index n = 3200;
  const Sample s = moons(n, 1.5);
  const Gram K = lazy(rbf(0.5), s.points());
  const DualProblem p = c_svc(n, 1);
  const Index steps = solve(p, rows_on(K), {}, {}).steps;
  const DualSolution found = solve(p, rows_on(K), {.max_steps = steps - 1}, {});
  EXPECT_EQ(found.converged, found.gap <= 1e-3);
  expect_consistent(p, found, K);
}

TEST(Dual, ProgressRises) {
  const Index n = 2500;
  const Sample s = moons(n, 0.3);
  Vector fractions;
  const DualSolution found =
      solve(c_svc(n, 10), rows_on(lazy(rbf(0.5), s.points())), {}, {.monitor = Monitor([&](const Progress& progress) {
                                                                      fractions.push_back(progress.fraction);
                                                                      return true;
                                                                    })});
  EXPECT_TRUE(found.converged);
  ASSERT_GT(fractions.size(), 1u);
  for (const double fraction : fractions) EXPECT_TRUE(fraction >= 0 && fraction <= 1) << fraction;
  EXPECT_EQ(fractions.front(), 0);
  EXPECT_GT(fractions.back(), 0.2);
}

TEST(Dual, Limits) {
  const Index n = 2500;
  const Sample s = moons(n, 0.3);
  const Gram K = lazy(rbf(0.5), s.points());
  const DualProblem p = c_svc(n, 10);
  for (const Index most : {1, 7, 300}) {
    const DualSolution found = solve(p, rows_on(K), {.max_steps = most}, {});
    EXPECT_FALSE(found.converged);
    EXPECT_EQ(found.stopped, "iteration limit");
    EXPECT_EQ(found.steps, most);
    expect_consistent(p, found, K);
  }
  const DualSolution late = solve(p, rows_on(K), {.max_seconds = 1e-9}, {});
  EXPECT_FALSE(late.converged);
  EXPECT_EQ(late.stopped, "time limit");
  expect_consistent(p, late, K);
  const DualSolution low = solve(p, rows_on(K), {.objective_floor = -50}, {});
  EXPECT_FALSE(low.converged);
  EXPECT_EQ(low.stopped, "objective without bound");
  EXPECT_LT(low.objective, -50);
  expect_consistent(p, low, K);
}

// ---- numbers out of proportion ----

// Single precision holds nothing of these, or only infinities; the answer is right all the same, or said not to be.
TEST(Dual, KernelsBeyondSinglePrecision) {
  const Index n = 80;
  const Matrix narrow = random_matrix(n, 2, 63, 0.5, 2), wide = random_matrix(n, 30, 64);
  const auto scaled = [](const Matrix& x, double factor) {
    Matrix out = x;
    for (Index i = 0; i < out.rows() * out.cols(); ++i) out.data()[i] *= factor;
    return rows(std::move(out));
  };
  const auto whole = [&](double unit) {
    Matrix out = narrow;
    for (Index i = 0; i < 2 * n; ++i) out.data()[i] = unit * std::floor(100 * out.data()[i]);
    return rows(std::move(out));
  };
  const std::vector<std::pair<std::string, Gram>> grams{{"poly of 1e3", lazy(poly(14, 1), scaled(narrow, 1e3))},
                                                        {"linear at 1e25", lazy(linear(), scaled(wide, 1e25))},
                                                        {"rbf at 1e25", lazy(rbf(1), scaled(wide, 1e25))},
                                                        {"rbf of few at 1e25", lazy(rbf(1), scaled(narrow, 1e25))},
                                                        {"rbf, unit 1e25", lazy(rbf(1), whole(1e25))},
                                                        {"rbf, unit 1e-310", lazy(rbf(1), whole(0x1p-1060))},
                                                        {"linear at 1e-25", lazy(linear(), scaled(wide, 1e-25))},
                                                        {"tiny rbf", lazy(1e-60 * rbf(1), scaled(narrow, 1))},
                                                        {"huge rbf", lazy(1e60 * rbf(0.05), scaled(narrow, 1))}};
  for (const auto& [name, K] : grams) {
    for (const bool bias : {true, false}) {
      SCOPED_TRACE(name + (bias ? "" : " without bias"));
      const DualProblem p = c_svc(n, 1, bias);
      const DualSolution found = solve(p, rows_on(K), {.max_steps = 200'000}, {});
      for (const double b : found.b) ASSERT_TRUE(std::isfinite(b));
      for (const double f : found.f) ASSERT_TRUE(std::isfinite(f));
      expect_feasible(p, found.b);
      EXPECT_EQ(found.converged, found.gap <= 1e-3) << found.stopped;
      EXPECT_FALSE(found.stopped.empty());
    }
  }
}

}  // namespace
}  // namespace mercer::svm_dual_test
