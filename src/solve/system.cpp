#include "solve/system.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "gram/assemble.hpp"
#include "solve/kinds.hpp"

namespace mercer::solve {

namespace {

// In the order s_i K_ij / unit s_j, for the first `columns(i)` of each row.
void scale(const Equations& e, MatrixRef a, auto&& columns) {
  if (e.scale.empty() && e.unit == 1) return;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < columns(i); ++j) a(i, j) = e.scale_of(i) * a(i, j) / e.unit * e.scale_of(j);
  }
}

// From a K in memory, without a second copy of it.
void pick_lower(const Equations& e, MatrixView K, MatrixRef a) {
  constexpr Index kRows = 64;  // a piece of work
  const Index n = a.rows();
  parallel_for((n + kRows - 1) / kRows, thread_count(0), {}, "solve", [&](Index piece, int) {
    for (Index i = piece * kRows; i < std::min(n, (piece + 1) * kRows); ++i) {
      const double* const from = K.row(e.point_of(i));
      double* const to = a.row(i);
      for (Index j = 0; j <= i; ++j) to[j] = from[e.point_of(j)];
      if (e.scale.empty() && e.unit == 1) continue;
      for (Index j = 0; j <= i; ++j) to[j] = e.scale_of(i) * to[j] / e.unit * e.scale_of(j);
    }
  });
}

void assemble_points(const Equations& e, MatrixRef a, const Execution& how) {
  e.points.empty() ? e.K.fill(a, how) : detail::assemble(e.K, e.points, a, how);
}

}  // namespace

bool loses_digits(double condition_bound) { return condition_bound > 1e8; }

std::string_view ending(const Accuracy& accuracy) {
  if (accuracy.cancelled) return "interrupted";
  if (accuracy.reached) return "optimal to the tolerance";
  return accuracy.rounding ? "nothing to gain beyond rounding" : "limit of steps";
}

void assemble_lower(const Equations& e, MatrixRef a, const Execution& how) {
  if (const MatrixView K = e.K.dense(); !K.empty()) return pick_lower(e, K, a);
  assemble_points(e, a, how);
  scale(e, a, [](Index i) { return i + 1; });
}

Matrix assembled(const Equations& e, const Execution& how) {
  const Index n = e.size();
  Matrix a = Matrix::uninitialized(n, n);
  assemble_points(e, a, how);
  scale(e, a, [n](Index) { return n; });
  return a;
}

Matrix product(const Equations& e, MatrixView v, const Execution& how) {
  Matrix scaled(e.K.size(), v.cols());
  for (Index i = 0; i < v.rows(); ++i) {
    for (Index c = 0; c < v.cols(); ++c) scaled(e.point_of(i), c) = e.scale_of(i) * v(i, c);
  }
  const Matrix all = e.K.multiply(scaled.view(), how);
  Matrix out = Matrix::uninitialized(v.rows(), v.cols());
  for (Index i = 0; i < v.rows(); ++i) {
    for (Index c = 0; c < v.cols(); ++c) {
      out(i, c) = e.scale_of(i) * all(e.point_of(i), c) / e.unit + e.shift_of(i) * v(i, c);
    }
  }
  return out;
}

Estimates System::inverse_diagonal(const Monitor& monitor) && {
  return {std::move(*this).inverse(monitor)->diagonal()};
}

void System::inverse_blocks(std::span<const Range> blocks, const TakeBlock& take, const Monitor& monitor) && {
  const std::unique_ptr<Inverse> all = std::move(*this).inverse(monitor);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Matrix block = Matrix::uninitialized(blocks[b].size(), blocks[b].size());
    all->tile(blocks[b], blocks[b], block.data());
    take(static_cast<Index>(b), block);
  }
}

std::optional<double> more_jitter(double last, double mean) {
  constexpr double kLeast = 1e-15, kMost = 1e-5;  // of the mean
  const double more = last == 0 ? kLeast * mean : 10 * last;
  return more < kMost * mean ? std::optional(more) : std::nullopt;
}

std::optional<std::vector<Matrix>> System::blocks_of_equals(std::span<const std::vector<Index>>) const {
  return std::nullopt;
}
std::optional<Matrix> System::seen_part(const Matrix&) const { return std::nullopt; }
std::optional<Vector> System::variances(const Points&) const { return std::nullopt; }
std::optional<System::Slopes> System::slopes(const Matrix&, const Matrix&) const { return std::nullopt; }

Interval System::quadratic(VectorView b, VectorView solved, const Monitor&) const {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * solved[i];
  sum = std::max(sum, 0.0);
  return {sum, sum};
}

bool by_steps(Index n, double room) {
  const auto size = static_cast<double>(n);
  return n > kManyPoints || sizeof(double) * size * size > room;
}

Made system_for(const Equations& equations, const Wishes& wishes, const Execution& how) {
  std::unique_ptr<System> system;
  const bool any = wishes.method == Method::automatic;
  if (wishes.method == Method::state_space ||
      (any && exact_method(equations.K, equations.size()) == Method::state_space)) {
    return state_space_system(equations, wishes, how);
  }
  if (any || wishes.method == Method::factored) system = factored_system(equations, wishes, how.monitor);
  const bool many = any && wishes.to_tolerance && by_steps(equations.size(), wishes.room);
  if (!system && (wishes.method == Method::iterative || many)) {
    system = iterative_system(equations, wishes, how);
  }
  if (!system) return dense_system(equations, wishes, how);
  const double trace = system->certificate().trace;
  return {.system = std::move(system), .trace = trace};
}

}  // namespace mercer::solve
