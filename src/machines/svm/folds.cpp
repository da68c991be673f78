#include "machines/svm/folds.hpp"

#include <unordered_map>

#include "base/at.hpp"
#include "machines/svm/calibrate.hpp"

namespace mercer::detail {

FoldScores hold_out(const BinaryProblem& problem, std::span<const Index> equal_to) {
  FoldScores out{std::vector<Index>(problem.sign.size(), -1), problem.sign, Vector(problem.sign.size())};
  Index positive = 0, negative = 0;
  std::unordered_map<Index, Index> taken;
  for (std::size_t i = 0; i < problem.sign.size(); ++i) {
    if (problem.cost[i] == 0) continue;
    const auto [place, is_first] = taken.emplace(equal_to[i], 0);
    if (is_first) place->second = (problem.sign[i] > 0 ? positive++ : negative++) % kFolds;
    out.fold[i] = place->second;
  }
  return out;
}

bool score_fold(const BinaryProblem& problem, Rows& rows, VectorView alpha, Index fold, const DualOptions& options,
                const Execution& how, FoldScores& held_out) {
  BinaryProblem rest = problem;
  Vector begin(alpha.begin(), alpha.end());
  bool any = false;
  for (std::size_t i = 0; i < rest.cost.size(); ++i) {
    if (held_out.fold[i] != fold) continue;
    rest.cost[i] = begin[i] = 0;
    any = true;
  }
  if (!any) return true;
  const BinaryOutcome found = solve_binary(rest, rows, {.alpha = std::move(begin)}, options, how);
  for (std::size_t i = 0; i < rest.cost.size(); ++i) {
    if (held_out.fold[i] == fold) held_out.score[i] = found.scores[i];
  }
  return found.outcome.converged;
}

Sigmoid sigmoid_of(const FoldScores& held_out, VectorView weights, std::span<const Index> points) {
  Vector score, sign, weight;
  for (std::size_t i = 0; i < held_out.fold.size(); ++i) {
    if (held_out.fold[i] < 0) continue;
    score.push_back(held_out.score[i]);
    sign.push_back(held_out.sign[i]);
    weight.push_back(weights[at(points[i])]);
  }
  return fit_sigmoid(score, sign, weight);
}

}  // namespace mercer::detail
