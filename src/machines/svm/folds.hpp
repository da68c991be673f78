// Scores of points by machines that have not seen them, and the sigmoids that make probabilities of them.
#pragma once

#include <vector>

#include "machines/svm/binary.hpp"
#include "mercer/model.hpp"

namespace mercer::detail {

constexpr Index kFolds = 5;

// Of each point of the Rows: the fold it is held out in (-1 for points of cost 0), its side, and its score.
struct FoldScores {
  std::vector<Index> fold;
  Vector sign, score;
};

// Each side is dealt out in turn, so that every fold has its share of both and nothing is left to chance. `equal_to`:
// a number for each point of the Rows, the same for those that are equal; these go together.
FoldScores hold_out(const BinaryProblem& problem, std::span<const Index> equal_to);

// Fits without one fold, beginning near `alpha`, and writes that fold's scores. Returns whether it converged. Folds
// may be scored side by side. The rows of K are those of the whole problem.
bool score_fold(const BinaryProblem& problem, Rows& rows, VectorView alpha, Index fold, const DualOptions& options,
                const Execution& how, FoldScores& held_out);

// `weights` of all training points; `points`: which of them the Rows are.
Sigmoid sigmoid_of(const FoldScores& held_out, VectorView weights, std::span<const Index> points);

}  // namespace mercer::detail
