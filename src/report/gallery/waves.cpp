// Eigenvectors of a path.
#include <fmt/format.h>

#include "base/at.hpp"
#include "mercer/nodes.hpp"
#include "report/gallery/sections.hpp"

namespace mercer::report::gallery {

Json waves_of_a_path() {
  constexpr Index kNodes = 20, kWaves = 6;
  std::vector<GraphEdge> edges;
  for (Index i = 0; i + 1 < kNodes; ++i) edges.push_back({i, i + 1});
  const LaplacianSpectrum spectrum = laplacian_spectrum(graph(kNodes, edges));
  const Vector at = grid(1, kNodes, kNodes);
  Json panels = Json::array();
  for (Index k = 0; k < kWaves; ++k) {
    Json one = curve(at, {{"label", "u"}, {"domain", {-0.36, 0.36}}});
    one["x"] = {{"label", "node"}};
    add_line(one, fmt::format("u{}", k + 1), {spectrum.vectors.row(k), mercer::at(kNodes)}, {{"stems", true}});
    const double value = spectrum.values[mercer::at(k)];
    panels.push_back({{"title", fmt::format("eigenvalue {:.3f}", value < 1e-12 ? 0 : value)}, {"curve", one}});
  }
  return section(
      "waves", "Waves on a graph",
      {"A path of 20 nodes. The eigenvectors of its Laplacian are waves, and the eigenvalue says how fast they "
       "go up and down. Kernels between nodes (diffusion, walks) weigh slow waves most, so that neighbours "
       "are alike."},
      {{"waves",
        "curves",
        "The six slowest waves of a path",
        "The slowest is constant, each next one changes its sign once more.",
        {{"panels", panels}, {"sharedY", true}, {"columns", 3}}}});
}

}  // namespace mercer::report::gallery
