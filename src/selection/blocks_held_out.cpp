#include "selection/blocks_held_out.hpp"

#include <algorithm>
#include <atomic>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "selection/held_out.hpp"
#include "solve/regression.hpp"

namespace mercer::detail {

namespace {

// L_t^-1 H' A^-1 with L_t the factor of H' A^-1 H.
Matrix rows_of(const solve::TrendPart& trend) {
  const Matrix& solved = trend.solved;
  Matrix out(solved.cols(), solved.rows());
  for (Index i = 0; i < solved.rows(); ++i) {
    for (Index j = 0; j < solved.cols(); ++j) out(j, i) = solved(i, j);
  }
  linalg::solve_lower(trend.factor, out);
  return out;
}

}  // namespace

std::vector<BlockHeldOut> leave_blocks_out(solve::System&& A, const Matrix& y, const Matrix& H,
                                           std::span<const Range> blocks, const Monitor& monitor) {
  Matrix Py = y, trend;
  A.solve(Py);
  if (H.cols() > 0) {
    const std::optional<solve::TrendPart> part = solve::trend_part(A, H);
    if (!part) return {};
    trend = rows_of(*part);
    Matrix b(H.cols(), y.cols());
    linalg::multiply(1, trend, y, 0, b);
    linalg::multiply_left_transposed(-1, trend, b, 1, Py);
  }
  std::vector<BlockHeldOut> out(blocks.size());
  std::atomic<bool> sound = true;
  const auto predict = [&](Index b, MatrixRef P) {
    const Range F = blocks[at(b)];
    if (trend.rows() > 0) {
      linalg::blas::syrk(linalg::blas::Op::transposed, -1, trend.view().block({0, trend.rows()}, F), 1, P);
    }
    BlockHeldOut& held = out[at(b)];
    held.residual = Matrix(Py.view().block(F, {0, y.cols()}));
    if (linalg::cholesky(P) != 0) {
      sound = false;
      return;
    }
    linalg::cholesky_solve(P, held.residual);
    held.variance = linalg::inverse_diagonal(P);
  };
  std::move(A).inverse_blocks(blocks, predict, monitor);
  if (!sound) return {};
  return out;
}

namespace {

// Folds that have no point in common, and all points in an order in which each is a range: first those of no fold.
struct Round {
  std::vector<Index> points;
  std::vector<Range> folds;
};

Round round_of(std::span<const Fold> folds, Index n) {
  std::vector<char> taken(at(n), 0);
  for (const Fold& fold : folds) {
    for (const Index i : fold) taken[at(i)] = 1;
  }
  Round out;
  for (Index i = 0; i < n; ++i) {
    if (taken[at(i)] == 0) out.points.push_back(i);
  }
  for (const Fold& fold : folds) {
    const auto begin = static_cast<Index>(out.points.size());
    out.points.insert(out.points.end(), fold.begin(), fold.end());
    out.folds.push_back({begin, static_cast<Index>(out.points.size())});
  }
  return out;
}

// Each as long as it can be: repeated cross-validation has as many rounds as repeats.
std::vector<Round> rounds_of(const std::vector<Fold>& folds, Index n) {
  std::vector<Round> out;
  std::vector<std::size_t> seen(at(n), 0);  // the last round of each point, from 1
  std::size_t first = 0;
  const auto end_round = [&](std::size_t end) {
    if (end > first) out.push_back(round_of(std::span(folds).subspan(first, end - first), n));
    first = end;
  };
  for (std::size_t f = 0; f < folds.size(); ++f) {
    outside(folds[f], n);  // throws where it is no fold
    const bool meets =
        std::any_of(folds[f].begin(), folds[f].end(), [&](Index i) { return seen[at(i)] == out.size() + 1; });
    if (meets) end_round(f);
    for (const Index i : folds[f]) seen[at(i)] = out.size() + 1;
  }
  end_round(folds.size());
  return out;
}

// In flops: a factor for each fold, against that of all points, its inverse and what each block takes.
bool saves_work(const Round& round) {
  const auto n = static_cast<double>(round.points.size());
  double fits = 0, blocks = 2.0 / 3 * n * n * n;
  for (const Range fold : round.folds) {
    const auto size = static_cast<double>(fold.size());
    fits += (n - size) * (n - size) * (n - size) / 3;
    blocks += n * size * size / 2;
  }
  return blocks < fits;
}

}  // namespace

std::vector<HeldOut> cross_linear(const Crossing& crossing, const LinearWay& way) {
  const Training& all = crossing.training;
  const Threads threads(all.how.threads);
  if (!std::all_of(crossing.settings.begin(), crossing.settings.end(), way.possible)) return {};
  // A point of no weight is predicted, but is not part of the system.
  if (std::find(all.weights.begin(), all.weights.end(), 0.0) != all.weights.end()) return {};
  const std::vector<Round> rounds = rounds_of(crossing.folds, all.K.size());
  if (!std::all_of(rounds.begin(), rounds.end(), saves_work)) return {};
  const std::size_t folds = crossing.folds.size();
  std::vector<HeldOut> out(crossing.settings.size() * folds);
  try {
    std::size_t first = 0;
    for (const Round& round : rounds) {
      Training ordered = part_of(all, round.points);
      ordered.how = all.how;
      for (std::size_t s = 0; s < crossing.settings.size(); ++s) {
        std::vector<HeldOut> found = way.hold_out(crossing.settings[s], ordered, round.folds);
        if (found.empty()) return {};
        std::move(found.begin(), found.end(), out.begin() + static_cast<std::ptrdiff_t>(s * folds + first));
      }
      first += round.folds.size();
    }
  } catch (const Error& error) {  // fold by fold it will be clear which of them are to blame
    if (error.kind() == ErrorKind::cancelled) throw;
    return {};
  }
  return out;
}

}  // namespace mercer::detail
