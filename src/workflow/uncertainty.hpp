// What the verbs say of models that know how sure they are.
#pragma once

#include "mercer/machines/gp.hpp"

namespace mercer::workflow {

// Throws UsageError, beginning with `what` ("predict: `deviations`"), for a model without a posterior.
void require_posterior(const Model& model, const std::string& what);

// Mean and standard deviation of f at each point, one column per output; with noise those of an observation.
struct Beliefs {
  Matrix mean, deviation;
};
Beliefs beliefs(const Model& model, const Points& x, bool with_noise, const Execution& how);

// Short names for columns: "rbf", "rbf*periodic", "rbf2" for the second of a name, "mean" for the mean function.
std::vector<std::string> names_of(const std::vector<Component>& components);

}  // namespace mercer::workflow
