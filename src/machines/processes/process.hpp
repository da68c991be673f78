// What the uses of a fitted Gaussian process begin with.
#pragma once

#include <string_view>

#include "model/posterior/posterior.hpp"

namespace mercer::detail {

// A model whose posterior is a process, with its factors at hand. The model must outlive it.
struct Process {
  const Model::Parts& parts;
  const Posterior& posterior;
  const Factors& factors;

  const Kernel& kernel() const { return *parts.f.parts().kernel; }
  const Points& centres() const { return *parts.f.parts().centres; }
  Index size() const { return parts.f.size(); }
};

// UsageError, which begins with the name of the use, for a model that is no process or has no kernel.
Process process_of(std::string_view use, const Model& gp, const Execution& how);
// The same for a regression: f is observed with noise, and not through a link.
Process regression_of(std::string_view use, const Model& gp, const Execution& how);
void require_kernel(std::string_view use, const Model& gp);
// UsageError unless the model has such an output.
void require_output(std::string_view use, const Model& gp, Index output);

// x as f takes it: of the model's columns, and scaled.
Points inputs_of(const Model& gp, const Points& x);

// S k(X, x): one row per centre, one column per point; and the other way round.
Matrix scaled_cross(const Process& process, const Kernel& k, const Points& x, const Execution& how);
Matrix scaled_rows(const Process& process, const Kernel& k, const Points& x, const Execution& how);

// What is known of the trend is H' A^-1 H; this is (H' A^-1 H)^-1 b.
void solve_trend(const Process& process, MatrixRef b);

// The trend and its coefficients, one row per basis function and one column per output.
bool has_trend(const Process& process);
Matrix trend_basis(const Process& process, const Points& x);
Matrix trend_coefficients(const Process& process);

}  // namespace mercer::detail
