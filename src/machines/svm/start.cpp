#include "machines/svm/start.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer::detail {

std::optional<Matrix> starting_alphas(const Training& training, const std::string& machine, Reading reading,
                                      const std::vector<std::string>& classes, Index outputs) {
  if (!training.start) return std::nullopt;
  const Model::Parts& model = training.start->parts();
  const Expansion::Parts& f = model.f.parts();
  if (model.machine != machine) {
    fail(ErrorKind::usage, "{}: cannot start from a model of {}; give one of {}", machine, model.machine, machine);
  }
  if (f.training_size != training.K.size()) {
    fail(ErrorKind::usage, "{}: cannot start from a model of {} training points, here are {}; give the same points",
         machine, f.training_size, training.K.size());
  }
  if (model.classes != classes) {
    fail(ErrorKind::usage, "{}: cannot start from a model of other classes ({}, here {}); give the same labels",
         machine, fmt::join(model.classes, " "), fmt::join(classes, " "));
  }
  if (model.reading != reading || f.alpha.cols() != outputs) {
    fail(ErrorKind::usage, "{}: cannot start from a model with {} output{} read as {}; here are {} read as {}", machine,
         f.alpha.cols(), f.alpha.cols() == 1 ? "" : "s", name_of(model.reading), outputs, name_of(reading));
  }
  if (f.support.empty() && f.alpha.rows() > 0) {
    fail(ErrorKind::usage, "{}: cannot start from a model that does not say which training points its centres are",
         machine);
  }
  Matrix out(training.K.size(), outputs);
  for (Index i = 0; i < f.alpha.rows(); ++i) std::copy_n(f.alpha.row(i), outputs, out.row(f.support[at(i)]));
  return out;
}

namespace {

// Moves the variables of group g that `may` move towards the side of `missing`, each by its share of the room there is,
// and returns what is still missing.
template <class May>
double share_out(DualProblem& problem, std::size_t g, double missing, May may) {
  const auto room = [&](std::size_t v) {
    if (problem.group[v] != g || !may(v)) return 0.0;
    return missing > 0 ? problem.upper[v] - problem.start[v] : problem.start[v] - problem.lower[v];
  };
  double total = 0;
  for (std::size_t v = 0; v < problem.start.size(); ++v) total += room(v);
  if (total <= 0) return missing;
  const double part = std::min(1.0, std::abs(missing) / total);
  for (std::size_t v = 0; v < problem.start.size(); ++v) {
    const double step = part * room(v);
    if (step == 0) continue;
    const double moved = problem.start[v] + (missing > 0 ? step : -step);
    problem.start[v] = std::clamp(moved, problem.lower[v], problem.upper[v]);
  }
  return part < 1 ? 0 : missing > 0 ? missing - total : missing + total;
}

}  // namespace

void begin_near(DualProblem& problem, VectorView wish, std::array<double, 2> sums) {
  const std::size_t n = at(problem.size());
  assert(wish.size() == n);
  problem.start.resize(n);
  for (std::size_t v = 0; v < n; ++v) {
    problem.start[v] = std::isfinite(wish[v]) ? std::clamp(wish[v], problem.lower[v], problem.upper[v]) : 0.0;
  }
  if (problem.group.empty()) return;
  for (const std::size_t g : {0u, 1u}) {
    double missing = sums[g], size = std::abs(sums[g]);
    for (std::size_t v = 0; v < n; ++v) {
      if (problem.group[v] != g) continue;
      missing -= problem.start[v];
      size += std::abs(problem.start[v]);
    }
    const double small = 1e-14 * size;  // rounding of the sum
    if (std::abs(missing) <= small) continue;
    std::vector<bool> inside(n), nonzero(n);
    for (std::size_t v = 0; v < n; ++v) {
      inside[v] = problem.start[v] > problem.lower[v] && problem.start[v] < problem.upper[v];
      nonzero[v] = problem.start[v] != 0;
    }
    missing = share_out(problem, g, missing, [&](std::size_t v) { return inside[v]; });
    if (std::abs(missing) > small) missing = share_out(problem, g, missing, [&](std::size_t v) { return nonzero[v]; });
    for (std::size_t v = 0; v < n && std::abs(missing) > small; ++v) {
      if (problem.group[v] != g) continue;
      const double before = problem.start[v];
      problem.start[v] = std::clamp(before + missing, problem.lower[v], problem.upper[v]);
      missing -= problem.start[v] - before;
    }
  }
}

}  // namespace mercer::detail
