// Kernels that are functions of the spectrum of a Laplacian L = sum_k lambda_k u_k u_k':  k(x, y) = f(L)_xy.
#pragma once

#include <memory>
#include <string>

#include "domains/nodes/chebyshev.hpp"
#include "domains/nodes/nodes.hpp"

namespace mercer::detail {

// f with its parameter. diffusion: exp(-t lambda); resolvent: 1 / (1 + sigma^2 lambda).
struct SpectralFunction {
  enum class Kind { diffusion, resolvent } kind;
  double parameter;

  double value(double lambda) const;
  double log_slope(double lambda) const;  // d log f / d parameter
  SpectralSeries series(double top, double error) const;
};

// Up to so many nodes all eigenvectors are computed, once in the life of a graph: every f, every parameter and its
// derivative then come from them, to rounding.
constexpr Index kDenseNodes = 3000;

struct Spectrum {
  Vector lambda;   // increasing, none below 0
  Matrix by_node;  // row i holds u_k(i) for all k
  std::size_t bytes() const { return (lambda.size() + lambda.size() * lambda.size()) * sizeof(double); }
};
std::shared_ptr<const Spectrum> spectrum_of(const NodeGraph& graph, NodeMatrix laplacian, const std::string& who);

// Of larger graphs every value is within 1e-8: as much is left out of the series and lost to rounding, see
// series_rows().
constexpr double kSeriesError = 2e-9, kSeriesRounding = 7e-9;

}  // namespace mercer::detail
