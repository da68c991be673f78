// The matrices of a graph that kernels on its nodes are functions of, ready for products.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/graph.hpp"
#include "simd/sparse_panel.hpp"

namespace mercer::detail {

// adjacency   A
// plain       D - A, D the diagonal of the degrees d_i = sum_j A_ij. A self loop cancels.
// normalized  I - D^(-1/2) A D^(-1/2); 0 in the row of a node without edges. A self loop counts in d_i.
enum class NodeMatrix { adjacency, plain, normalized };

struct NodeOperator {
  NodeOperator(const Graph& graph, NodeMatrix which);

  Index size() const { return static_cast<Index>(diagonal.size()); }
  simd::SparseRows rows() const;
  std::size_t bytes() const;
  Matrix dense() const;

  std::vector<Index> offsets;
  std::vector<std::int32_t> columns;  // none on the diagonal; with room behind the last as simd::SparseRows asks for
  Vector weights;                     // empty where all are 1
  Vector diagonal;
  Vector degrees;  // d_i
  double beside;   // M = diagonal + beside * weights
  // No eigenvalue is larger in size. Of |M|, by Collatz and Wielandt: (|M| x)_i / x_i <= top for one positive x bounds
  // the largest eigenvalue, and x from a few steps of the power method comes close to it.
  double top;
};

// Throws DataError, in the name of `who`, for a directed graph or an edge with a weight below 0.
void require_undirected(const Graph& graph, const std::string& who);

}  // namespace mercer::detail
