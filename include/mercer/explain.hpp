// mercer/explain.hpp: what each part of an object contributes to a score.
//
//     Explanation e = explain_prediction(m, strings({"GATTACA"}));
//     e.parts[0].places[2], e.parts[0].values(2, 0)      // the third letter, and its share of the first score
//
// For models whose kernel is an inner product of counts (spectrum, gapped, wl, ..., sums, multiples and normalised
// ones, on columns): f(x) - b is then a sum over the occurrences of features in x, and each occurrence is shared evenly
// by the places it covers. mean_embedding(k) of bags is a mean over elements: an element z of a bag of m contributes
// sum_i alpha_i mean_{x in X_i} k(x, z) / m. Terms of a sum that are other kernels (of numbers, products, ...)
// contribute one number each, and so does k(x, x) of a squared distance. Exact: contributions and bias add up to the
// score.
#pragma once

#include <string>
#include <vector>

#include "mercer/model.hpp"

namespace mercer {

struct Contribution {
  std::string column;  // of a table; empty where the inputs are the objects themselves
  std::vector<std::string>
      places;     // letters of a string, nodes of a graph, elements of a bag; or one: the text of a term
  Matrix values;  // places x outputs
};

struct Explanation {
  std::vector<Contribution> parts;
  Vector bias, scores;             // one number for each output
  std::vector<std::string> names;  // what each score stands for: as `predict --scores` calls it
  // The score to look at first: that of the class or cluster which is predicted (where pairs of classes vote, against
  // its hardest rival); of numbers the first.
  Index deciding = 0;
};

// Whether the scores of a model are such sums at all; whether its kernel has such terms is another thing.
bool adds_up(const Model& m);

// Of one point. UsageError for a model whose scores are no such sum, or whose kernel has no such term.
Explanation explain_prediction(const Model& m, const Points& one, const Execution& how = {});

}  // namespace mercer
