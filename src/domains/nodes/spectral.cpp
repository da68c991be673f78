#include "domains/nodes/spectral.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "linalg/lapack.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

double SpectralFunction::value(double lambda) const {
  return kind == Kind::diffusion ? std::exp(-parameter * lambda) : 1 / (1 + parameter * parameter * lambda);
}

double SpectralFunction::log_slope(double lambda) const {
  return kind == Kind::diffusion ? -lambda : -2 * parameter * lambda * value(lambda);
}

SpectralSeries SpectralFunction::series(double top, double error) const {
  return kind == Kind::diffusion ? exponential_series(parameter, top, error) : resolvent_series(parameter, top, error);
}

std::shared_ptr<const Spectrum> spectrum_of(const NodeGraph& graph, NodeMatrix laplacian, const std::string& who) {
  const auto l = graph.matrix(laplacian, who);
  return graph.cached<Spectrum>(fmt::format("spectrum{}", static_cast<int>(laplacian)), [&] {
    linalg::Eigen eigen = linalg::eigen(l->dense());
    const double rounding = 1e-14 * std::max(1e-300, eigen.values.empty() ? 0 : eigen.values.back());
    for (double& lambda : eigen.values) lambda = lambda < rounding ? 0 : lambda;
    Matrix by_node = Matrix::uninitialized(l->size(), l->size());
    simd::store_transposed(eigen.vectors.data(), at(l->size()), at(l->size()), at(l->size()), by_node.data(),
                           at(l->size()));
    return Spectrum{std::move(eigen.values), std::move(by_node)};
  });
}

}  // namespace mercer::detail

namespace mercer {

LaplacianSpectrum laplacian_spectrum(const Graph& graph, Laplacian laplacian) {
  const auto which = laplacian == Laplacian::plain ? detail::NodeMatrix::plain : detail::NodeMatrix::normalized;
  const auto found = detail::spectrum_of(*NodeGraph::shared({graph}), which, "laplacian_spectrum()");
  const Index n = graph.nodes();
  LaplacianSpectrum out{found->lambda, Matrix::uninitialized(n, n)};
  for (Index k = 0; k < n; ++k) {
    double largest = 0;
    for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(found->by_node(i, k)));
    double sign = 1;
    for (Index i = 0; i < n; ++i) {
      if (std::abs(found->by_node(i, k)) < 1e-6 * largest) continue;
      sign = found->by_node(i, k) < 0 ? -1 : 1;
      break;
    }
    for (Index i = 0; i < n; ++i) out.vectors(k, i) = sign * found->by_node(i, k) + 0.0;  // no -0
  }
  return out;
}

std::vector<Index> connected_parts(const Graph& graph) {
  std::vector<Index> part(at(graph.nodes()), -1);
  std::vector<Index> waiting;
  Index next = 0;
  for (Index start = 0; start < graph.nodes(); ++start) {
    if (part[at(start)] >= 0) continue;
    part[at(start)] = next;
    waiting.push_back(start);
    while (!waiting.empty()) {
      const Index i = waiting.back();
      waiting.pop_back();
      for (const std::int32_t j : graph.neighbours(i)) {
        if (part[at(j)] >= 0) continue;
        part[at(j)] = next;
        waiting.push_back(j);
      }
    }
    ++next;
  }
  return part;
}

}  // namespace mercer
