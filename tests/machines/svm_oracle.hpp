// A slow, plain solver of the dual of support vector machines, to check the real one against: all of K in memory, one
// pair (or, without a bias, one variable) at a time, the one that violates the KKT conditions most.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "machines/svm/dual.hpp"

namespace mercer::test {

// The gradient K b + p of each variable.
inline Vector dual_gradient(const detail::DualProblem& problem, const Matrix& K, const Vector& b) {
  Vector g = problem.linear;
  for (std::size_t v = 0; v < b.size(); ++v) {
    for (std::size_t u = 0; u < b.size(); ++u) g[v] += K(problem.point[v], problem.point[u]) * b[u];
  }
  return g;
}

struct Violation {
  double gap = 0;
  std::size_t up = 0, down = 0;  // the variables to increase and to decrease
  std::array<double, 2> level{};
};

// Of each group: no variable that may grow has a smaller gradient than one that may shrink. Without groups: no variable
// that may grow has a negative gradient, none that may shrink a positive one.
inline Violation violation(const detail::DualProblem& problem, const Vector& b, const Vector& g) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Violation out;
  for (std::size_t group = 0; group < 2; ++group) {
    double lowest = inf, highest = -inf;
    std::size_t up = 0, down = 0;
    double free = 0, count = 0;
    for (std::size_t v = 0; v < b.size(); ++v) {
      if ((problem.group.empty() ? 0 : problem.group[v]) != group || problem.lower[v] == problem.upper[v]) continue;
      const bool may_grow = b[v]<problem.upper[v], may_shrink = b[v]> problem.lower[v];
      if (may_grow && g[v] < lowest) lowest = g[v], up = v;
      if (may_shrink && g[v] > highest) highest = g[v], down = v;
      if (may_grow && may_shrink) free += g[v], ++count;
    }
    if (problem.group.empty()) {
      if (-lowest > out.gap && lowest < inf) out.gap = -lowest, out.up = out.down = up;
      if (highest > out.gap) out.gap = highest, out.up = out.down = down;
      break;
    }
    if (lowest < inf && highest > -inf && highest - lowest > out.gap)
      out.gap = highest - lowest, out.up = up, out.down = down;
    const bool both = lowest < inf && highest > -inf;
    out.level[group] = count > 0        ? free / count
                       : both           ? (lowest + highest) / 2
                       : lowest < inf   ? lowest
                       : highest > -inf ? highest
                                        : 0;
  }
  return out;
}

inline detail::DualSolution oracle(const detail::DualProblem& problem, const Matrix& K, double tolerance = 1e-8,
                                   Index max_steps = 2'000'000) {
  detail::DualSolution out;
  Vector& b = out.b = problem.start;
  Vector g = dual_gradient(problem, K, b);
  Violation worst = violation(problem, b, g);
  for (; worst.gap > tolerance && out.steps < max_steps; ++out.steps) {
    const std::size_t u = worst.up, d = worst.down;
    const Index i = problem.point[u], j = problem.point[d];
    const bool single = u == d;
    const double curvature = single ? K(i, i) : K(i, i) + K(j, j) - 2 * K(i, j);
    const double slope = single ? -g[u] : g[d] - g[u];
    double step = slope / std::max(curvature, 1e-14);
    step = std::clamp(step, problem.lower[u] - b[u], problem.upper[u] - b[u]);
    if (!single) step = std::min(step, b[d] - problem.lower[d]);
    const double before_u = b[u], before_d = b[d];
    b[u] = std::clamp(b[u] + step, problem.lower[u], problem.upper[u]);
    if (!single) b[d] = std::clamp(b[d] - step, problem.lower[d], problem.upper[d]);
    const double moved_u = b[u] - before_u, moved_d = single ? 0 : b[d] - before_d;
    for (std::size_t v = 0; v < b.size(); ++v) {
      g[v] += K(problem.point[v], i) * moved_u + K(problem.point[v], j) * moved_d;
    }
    worst = violation(problem, b, g);
  }
  g = dual_gradient(problem, K, b);
  worst = violation(problem, b, g);
  out.f.assign(static_cast<std::size_t>(K.rows()), 0.0);
  for (Index i = 0; i < K.rows(); ++i) {
    for (std::size_t v = 0; v < b.size(); ++v) out.f[static_cast<std::size_t>(i)] += K(i, problem.point[v]) * b[v];
  }
  for (std::size_t v = 0; v < b.size(); ++v) out.objective += b[v] * (g[v] + problem.linear[v]) / 2;
  out.level = worst.level;
  out.gap = worst.gap;
  out.converged = out.gap <= 2 * tolerance;
  out.stopped = out.converged ? "optimal to the tolerance" : "iteration limit";
  return out;
}

}  // namespace mercer::test
