// Data files as a fitted model wants them.
#pragma once

#include <optional>

#include "columns.hpp"
#include "mercer/model.hpp"

namespace mercer::cli {

struct ModelInputs {
  Points points;                     // fits the model; for a precomputed Gram, rows of k(x, X)
  std::vector<Column> targets = {};  // the columns that were no inputs
  // f at the points.
  Matrix scores(const Model& model, const Execution& how) const;
  // The class of each point and the probability of each class, from these scores or, where the model knows how sure it
  // is of f, averaged over what f may be.
  std::vector<Index> classes(const Model& model, const Matrix& scores, const Execution& how) const;
  Matrix probabilities(const Model& model, const Matrix& scores, const Execution& how) const;
};

// Reads DATA and takes out the target: the column named, else one that has the name of what the model predicts, else
// the last one where nothing has a name and there is one too many. A target that is a file is read for itself.
// Without a path the points are all nodes of the model's graph.
// Columns that the model does not know, that are missing or in another order are errors.
ModelInputs read_inputs(const Model& model, const std::string& path, const std::string& target,
                        const FormatWords& file);

}  // namespace mercer::cli
