// What the kernels between distributions, integrals of p(x)^rho q(x)^rho, ask of Gaussians and of histograms.
#pragma once

#include <string>

#include "kernel/program_parts.hpp"

namespace mercer::detail {

struct ProbabilityProduct {
  std::string who = {};  // for errors
  double rho = 0.5, ridge = 0;
  Index rho_at = -1, ridge_at = -1;  // places of the parameters; -1: none
};

struct DistributionSide : Side {
  // Logarithms of the products of a tile; kLogOfZero where there is none.
  virtual void logs(const ProbabilityProduct& product, const DistributionSide& y, Range i, Range j, MatrixRef out,
                    Scratch& scratch) const = 0;
  virtual void self_logs(const ProbabilityProduct& product, Range i, double* out) const = 0;
  // Given v = dL/d(log), adds to the gradient of the parameters.
  virtual void pull(const ProbabilityProduct& product, const DistributionSide& y, Range i, Range j, MatrixView v,
                    double* parameters, Scratch& scratch) const = 0;
  virtual void pull_selves(const ProbabilityProduct& product, Range i, const double* v, double* parameters) const = 0;
};

// Gaussians, or bags of rows of numbers whose Gaussians are estimated.
Sides gaussian_sides(const ProbabilityProduct& product, const PointsPair& points);
// Rows of numbers >= 0, divided by their sums.
Sides histogram_sides(const ProbabilityProduct& product, const PointsPair& points);

}  // namespace mercer::detail
