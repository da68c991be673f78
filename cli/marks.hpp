// How well a model says what it says: figures by the model's reading.
#pragma once

#include "model_inputs.hpp"

namespace mercer::cli {

struct Marks {
  std::vector<std::pair<std::string, double>> figures;
  std::vector<std::string> classes = {};  // of the confusion
  Matrix confusion = {};                  // rows: truth, columns: prediction
};

// `path` is the file that the inputs were read from, for messages.
Marks marks_of(const Model& model, const ModelInputs& inputs, const std::string& path, const Execution& how);

}  // namespace mercer::cli
