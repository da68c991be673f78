#include "machines/svm/outcome.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer::detail {

void Outcome::scale(double factor) {
  for (double& a : alpha) a *= factor;
  rho *= factor;
  squared_norm *= factor * factor;
  primal *= factor * factor;
  dual *= factor * factor;
}

Outcome read_solution(const DualProblem& problem, const DualSolution& solution, const Rows& rows) {
  Outcome out;
  out.points = rows.points();
  out.alpha.assign(at(rows.size()), 0.0);
  out.converged = solution.converged;
  out.certified = solution.certified;
  out.stopped = solution.stopped;
  out.gap = solution.gap;
  out.steps = solution.steps;
  out.dual = -solution.objective;
  std::vector<std::uint8_t> at_bound(at(rows.size()), 0);
  double loss = 0;
  bool two_groups = false;
  for (std::size_t v = 0; v < at(problem.size()); ++v) {
    const std::size_t i = at(problem.point[v]);
    const std::size_t g = problem.group.empty() ? 0 : problem.group[v];
    two_groups |= g == 1;
    const double level = problem.group.empty() ? 0 : solution.level[g];
    const double b = solution.b[v], lower = problem.lower[v], upper = problem.upper[v];
    out.alpha[i] += b;
    out.squared_norm += b * solution.f[i];
    const double slope = -(solution.f[i] + problem.linear[v] - level);
    loss += std::max(slope * lower, slope * upper) - level * b;
    if (b != 0 && (b <= lower || b >= upper)) at_bound[i] = 1;
  }
  out.primal = out.squared_norm / 2 + loss;
  if (!problem.group.empty()) {
    out.rho = two_groups ? (solution.level[0] + solution.level[1]) / 2 : solution.level[0];
    out.spread = two_groups ? (solution.level[0] - solution.level[1]) / 2 : 0;
  }
  for (std::size_t i = 0; i < out.alpha.size(); ++i) {
    if (out.alpha[i] == 0) continue;
    ++out.support;
    ++(at_bound[i] ? out.bounded : out.free);
  }
  return out;
}

bool vanishes(const DualProblem& problem, const DualSolution& solution, const Rows& rows) {
  // Of sum_v |b_v| |phi(x_v)|: the rounding of a sum of squares is 1e-15 or so of it, and its square root is far
  // larger.
  constexpr double kRounding = 1e-7;
  const Vector own = rows.diagonal();
  double square = 0, size = 0;
  for (std::size_t v = 0; v < at(problem.size()); ++v) {
    const std::size_t i = at(problem.point[v]);
    square += solution.b[v] * solution.f[i];
    size += std::abs(solution.b[v]) * std::sqrt(std::max(0.0, own[i]));
  }
  return std::sqrt(std::max(0.0, square)) <= kRounding * size;
}

namespace {

// Names of problems that did not converge are listed up to this many.
constexpr std::size_t kNamed = 5;

void note_unfinished(Report& report, std::span<const Outcome> outcomes, std::span<const std::string> names) {
  std::string list;
  std::size_t unfinished = 0;
  for (std::size_t o = 0; o < outcomes.size(); ++o) {
    if (outcomes[o].converged) continue;
    if (unfinished++ < kNamed) {
      list += fmt::format("{}{} ({}, gap {:.3g})", list.empty() ? "" : ", ", names[o], outcomes[o].stopped,
                          outcomes[o].gap);
    }
  }
  if (unfinished == 0 || outcomes.size() == 1) return;
  report.notes.push_back(fmt::format("{} of {} problems did not converge: {}{}", unfinished, outcomes.size(), list,
                                     unfinished > kNamed ? ", ..." : ""));
}

Report::Table table_of(std::span<const Outcome> outcomes, const std::string& name) {
  Report::Table table{name,
                      {"iterations", "objective_primal", "objective_dual", "gap", "support_vectors", "free", "bounded",
                       "rho", "converged"},
                      Matrix(static_cast<Index>(outcomes.size()), 9)};
  for (std::size_t o = 0; o < outcomes.size(); ++o) {
    const Outcome& of = outcomes[o];
    const double row[] = {static_cast<double>(of.steps),
                          of.primal,
                          of.dual,
                          of.gap,
                          static_cast<double>(of.support),
                          static_cast<double>(of.free),
                          static_cast<double>(of.bounded),
                          of.rho,
                          of.converged ? 1.0 : 0.0};
    std::copy(std::begin(row), std::end(row), table.rows.row(static_cast<Index>(o)));
  }
  return table;
}

}  // namespace

Report report_of(std::span<const Outcome> outcomes, std::span<const std::string> names, const std::string& table,
                 const RowStore& store) {
  Report report;
  Outcome sum;
  for (const Outcome& of : outcomes) {
    sum.primal += of.primal;
    sum.dual += of.dual;
    sum.free += of.free;
    sum.bounded += of.bounded;
    sum.gap = std::max(sum.gap, of.gap);
    report.iterations += of.steps;
    if (report.stopped.empty() || (report.converged && !of.converged)) report.stopped = of.stopped;
    report.converged = report.converged && of.converged;
  }
  report.add("objective_primal", sum.primal);
  report.add("objective_dual", sum.dual);
  report.add("duality_gap", sum.primal - sum.dual);
  report.add("gap", sum.gap);
  std::vector<Index> support;
  for (const Outcome& of : outcomes) {
    for (std::size_t i = 0; i < of.alpha.size(); ++i) {
      if (of.alpha[i] != 0) support.push_back(of.points[i]);
    }
  }
  std::sort(support.begin(), support.end());
  support.erase(std::unique(support.begin(), support.end()), support.end());
  report.add("support_vectors", static_cast<double>(support.size()));
  report.add("free", static_cast<double>(sum.free));
  report.add("bounded", static_cast<double>(sum.bounded));
  const RowStore::Statistics statistics = store.statistics();
  report.add("kernel_rows_computed", static_cast<double>(statistics.rows_computed));
  report.add("kernel_rows_reused", static_cast<double>(statistics.rows_reused));
  if (outcomes.size() == 1) {
    report.add("rho", outcomes.front().rho);
  } else {
    report.tables.push_back(table_of(outcomes, table));
  }
  report.notes.push_back("kernel rows: " + store.plan());
  note_unfinished(report, outcomes, names);
  if (std::ranges::any_of(outcomes, [](const Outcome& of) { return !of.certified; })) {
    report.notes.emplace_back("gap: from sums in single precision, since the end did not wait for those in double");
  }
  return report;
}

Expansion expansion_of(std::span<const Outcome> outcomes, const Gram& K) {
  std::vector<Index> row_of(at(K.size()), -1);
  for (const Outcome& of : outcomes) {
    for (std::size_t i = 0; i < of.alpha.size(); ++i) {
      if (of.alpha[i] != 0) row_of[at(of.points[i])] = 0;
    }
  }
  Expansion::Parts parts;
  for (Index i = 0; i < K.size(); ++i) {
    if (row_of[at(i)] < 0) continue;
    row_of[at(i)] = static_cast<Index>(parts.support.size());
    parts.support.push_back(i);
  }
  parts.alpha = Matrix(static_cast<Index>(parts.support.size()), static_cast<Index>(outcomes.size()));
  for (std::size_t o = 0; o < outcomes.size(); ++o) {
    const Outcome& of = outcomes[o];
    for (std::size_t i = 0; i < of.alpha.size(); ++i) {
      if (of.alpha[i] != 0) parts.alpha(row_of[at(of.points[i])], static_cast<Index>(o)) = of.alpha[i];
    }
    parts.bias.push_back(of.rho == 0 ? 0.0 : -of.rho);
    parts.squared_norms.push_back(std::max(0.0, of.squared_norm));
  }
  return K.expansion(std::move(parts));
}

}  // namespace mercer::detail
