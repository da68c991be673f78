#include "domains/nodes/row.hpp"

#include "base/random.hpp"
#include "kernel/rows.hpp"
#include "mercer/nodes.hpp"

namespace mercer::detail {

using namespace row;

DomainRow nodes_domain() {
  return {.kind = "nodes", .kernels = node_kernels, .loads = {{"nodes", load_nodes}}, .sample = sample_nodes};
}

namespace {

Arg which_laplacian() { return one_of("laplacian", std::vector<std::string>{"plain", "normalized"}); }

}  // namespace

// clang-format off
std::vector<Entry> node_kernels() {
  return {
      {"diffusion", axiom, "nodes", {positive("t", 1), which_laplacian()},
       "exp(-t L)_xy; L = D - A (plain) or I - D^(-1/2) A D^(-1/2) (normalized; 0 for a node without edges)",
       "t > 0; an undirected graph, weights >= 0",
       "L is symmetric with eigenvalues lambda >= 0, and exp(-t lambda) > 0; the heat at y after time t of a unit put on x",
       "Kondor & Lafferty 2002", "diffusion(t=1)", emit_diffusion},
      {"walks", axiom, "nodes", {whole("length", 1, 1, 64)}, "(A^(2 length))_xy, A the weights of the edges",
       "length a whole number >= 1; an undirected graph, weights >= 0",
       "A^(2 length) = A^length (A^length)': the inner product of the numbers of walks of that length to each node", "Aronszajn 1950",
       "walks(length=2)", emit_walks},
      {"regularized_laplacian", axiom, "nodes", {positive("sigma", 1), which_laplacian()},
       "((I + sigma^2 L)^-1)_xy; L as in diffusion", "sigma > 0; an undirected graph, weights >= 0",
       "L is symmetric with eigenvalues lambda >= 0, and 1 / (1 + sigma^2 lambda) > 0", "Smola & Kondor 2003",
       "regularized_laplacian(sigma=1)", emit_regularized_laplacian},
      {"p_step", axiom, "nodes", {whole("p", 2, 1, 64), {.name = "a", .kind = ArgKind::number, .fallback = 2, .range = {.lower = 2, .upper = 1e6, .above = false}}},
       "((a I - L)^p)_xy, L the normalized Laplacian", "p a whole number >= 1, a >= 2; an undirected graph, weights >= 0",
       "no eigenvalue of the normalized L is above 2: a I - L has a root, (a - 2) I plus a sum of squares over the edges",
       "Smola & Kondor 2003", "p_step(p=3, a=2)", emit_p_step},
  };
}
// clang-format on

// Always of one graph, in parts, with a self loop, weights and a node without edges, which is the first of them; the
// second comes twice.
Points sample_nodes(Index count, std::uint64_t seed) {
  constexpr Index n = 24;
  std::vector<GraphEdge> edges = {{2, 2, 0.5}};
  Random weights(1), random(seed);
  for (Index i = 0; i + 1 < n; ++i) {
    for (Index j = i + 1; j + 1 < n && j < i + 4 && i % 7 != 6; ++j) edges.push_back({i, j, weights.uniform(0.5, 1.5)});
  }
  std::vector<Index> ids(static_cast<std::size_t>(count), n - 1);
  for (std::size_t i = 1; i < ids.size(); ++i) ids[i] = random.below(n - 1);
  if (count > 2) ids.back() = ids[1];
  return nodes(graph(n, std::move(edges)), ids);
}

}  // namespace mercer::detail
