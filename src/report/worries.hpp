// What a reader of a report should worry about: what it is, why it matters, what to do.
#pragma once

#include "report/figures.hpp"

namespace mercer::report {

struct Worry {
  bool warning = false;  // else a note
  std::string what, why, advice;
};
Json to_json(const Worry& worry);

std::vector<Worry> worries_of(const Subject& subject, const std::vector<Metric>& metrics);

// ---- each alone, for tests ----

std::vector<Worry> about_fit(const Subject& subject);      // not converged, jitter, parameters at a bound, few points
std::vector<Worry> about_kernel(const Subject& subject);   // matrix nearly diagonal, or nearly constant
std::vector<Worry> about_targets(const Subject& subject);  // few of a class, outliers, constant
std::vector<Worry> about_columns(const Subject& subject);  // one that gives the target away, row numbers
std::vector<Worry> about_points(const Subject& subject);   // far from the training points, or among them
// Errors or probabilities that are not what the model says of them: tests of one overall level (report/checks.hpp).
std::vector<Worry> about_errors(const Subject& subject);
std::vector<Worry> about_figures(const Subject& subject, const std::vector<Metric>& metrics);  // no better than nothing

}  // namespace mercer::report
