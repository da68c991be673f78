// Walks that two graphs have in common, after Gaertner, Flach & Wrobel 2003 and Vishwanathan et al., JMLR 11 (2010).
//
//     k(G, H) = sum_s c_s 1' W^s 1,   c_s = lambda^s, lambda^s / s!, or lambda^s up to a last s
//
// with W the adjacency matrix of the direct product of G and H: its nodes are the pairs (i, j) of nodes of G and H,
// its edges lead where both lead, with the product of their weights. Where labels count, pairs of nodes with different
// labels are no nodes of it, and pairs of edges with different labels no edges. Where nodes are compared by a kernel,
// a walk counts with the product of its values over the pairs of nodes it visits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/graph.hpp"

namespace mercer {

enum class WalkKind { geometric, exponential, steps };

// What is summed.
struct WalkSeries {
  WalkKind kind = WalkKind::geometric;
  double lambda = 0.1;
  int steps = 0;  // the last s of kind steps
};

struct WalkSum {
  double value = 0, slope = 0;  // and its derivative by lambda
};
enum class Slope { wanted, unwanted };  // an unwanted one may be 0

// ---- without labels: A (x) B has the eigenvalues mu_i nu_j ----

// 1' A^s 1 = sum_i weights_i values_i^s: one symmetric eigendecomposition, O(nodes^3). Eigenvalues that are equal, or
// whose weight is 0, up to rounding, are put together or left out: symmetric graphs have many.
struct WalkSpectrum {
  Vector values, weights;
};
WalkSpectrum walk_spectrum(const Graph& g);
// Of large graphs: `points` eigenvalues and weights that stand for all of them in the sums of a series, O(points (edges
// + points nodes)); how many that takes, where walks grow `growth` times with each step (below 1/lambda of geometric
// ones); and an upper bound of walk_radius, O(edges).
constexpr Index kLargeGraph = 1000;  // nodes
WalkSpectrum walk_quadrature(const Graph& g, Index points);
Index quadrature_points(const WalkSeries& series, double growth);
double walk_bound(const Graph& g);
// k of two spectra, O(their product). The same bits in both orders.
WalkSum walk_sum(const WalkSeries& series, const WalkSpectrum& x, const WalkSpectrum& y, Slope slope = Slope::wanted);

// 1' A^s 1 for s = 0, ..., steps, of any graph: O(steps edges).
Vector walk_counts(const Graph& g, int steps);
WalkSum walk_sum(double lambda, std::span<const double> x, std::span<const double> y);

// How fast the number of walks can grow with each step: the largest |eigenvalue| that counts, or, where labels choose
// among walks, that of the matrix of |weights|. geometric walks need lambda * radius(G) * radius(H) < 1.
double walk_radius(const WalkSpectrum& s);
double walk_radius(const Graph& g);

// ---- with labels or a kernel between nodes ----

// A graph whose labels are numbers that mean the same in all of them; empty where they do not count.
struct LabelledGraph {
  Graph graph;
  std::vector<std::int32_t> node_labels, edge_labels;  // the latter beside graph.neighbours()
};

// The direct product of two graphs. Reusable: its memory is kept. One thread at a time.
class ProductGraph {
 public:
  // Only pairs of nodes with equal labels. Where `likeness` is not empty, the roots of likeness(i, j) >= 0 go into W.
  void assign(const LabelledGraph& x, const LabelledGraph& y, MatrixView likeness);

  Index nodes() const { return static_cast<Index>(start_.size()); }
  // geometric: by conjugate gradients, for a W that is symmetric with lambda |W| < 1. exponential: its series, until
  // what is left is rounding.
  WalkSum sum(const WalkSeries& series) const;
  // Of geometric walks: the derivative by lambda, and by each likeness(i, j).
  double geometric_slopes(double lambda, MatrixRef slopes) const;

 private:
  void multiply(VectorView v, VectorRef out) const;      // out = W v
  double reached(VectorView v, std::size_t pair) const;  // (W v) of a pair, without its own root
  Vector solve(double lambda) const;
  WalkSum geometric(double lambda) const;
  WalkSum exponential(double lambda) const;
  WalkSum steps(double lambda, int steps) const;

  std::vector<std::int32_t> number_;  // of the pair (i, j), or -1
  Vector start_;                      // roots of the likeness of each pair
  std::vector<Index> offsets_;
  std::vector<std::int32_t> neighbours_;
  Vector weights_;  // products of those of the two edges
};

}  // namespace mercer
