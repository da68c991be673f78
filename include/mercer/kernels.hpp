// mercer/kernels.hpp: the axioms. `mercer kernels` prints the same list from the same catalog.
#pragma once

#include <cstdint>

#include "mercer/kernel.hpp"

namespace mercer {

// ---- real vectors ----

Kernel linear();                           // x.y
Kernel constant(double c);                 // c, c >= 0; `const(c=1)` or plain `1 + ...` in text
Kernel poly(int degree, double c = 1);     // (x.y + c)^degree, c >= 0
Kernel rbf(double ell);                    // exp(-|x-y|^2 / (2 ell^2))
Kernel rbf(const Vector& ell);             // one length scale per column
Kernel laplace(double ell);                // exp(-|x-y|_1 / ell)
Kernel exponential(double ell);            // exp(-|x-y|_2 / ell)
Kernel matern(double nu, double ell = 1);  // any nu > 0, up to 10000
Kernel matern(double nu, const Vector& ell);
Kernel rq(double ell, double alpha);         // (1 + |x-y|^2 / (2 alpha ell^2))^-alpha
Kernel periodic(double period, double ell);  // exp(-2 sum_k sin^2(pi (x_k-y_k)/period) / ell^2)
// A damped oscillator of frequency omega and quality q: prod_k exp(-d u) (cos(s u) + d sin(s u) / s) with u = omega
// |x_k-y_k|, d = 1 / (2 q) and s = sqrt(1 - d^2).
Kernel sho(double omega, double q);
Kernel min();                            // prod_k min(x_k, y_k), x >= 0
Kernel multilinear();                    // prod_k (1 + x_k y_k)
Kernel quadratic(const Matrix& a);       // x'Ay, A symmetric positive semi-definite
Kernel cosine();                         // x.y / (|x| |y|)
Kernel equal();                          // 1 where x = y, else 0; also of texts and anything else
Kernel hamming();                        // the share of columns with x_k = y_k
Kernel tanimoto();                       // x.y / (|x|^2 + |y|^2 - x.y)
Kernel chi2(double gamma);               // exp(-gamma sum_k (x_k-y_k)^2 / (x_k+y_k)), x >= 0
Kernel arccos(int order);                // order 0 or 1
Kernel ntk(int depth);                   // ReLU network with `depth` hidden layers
Kernel features(const FeatureMap& phi);  // phi(x).phi(y)
// a_x a_y, and v_x more where x = y: covariances of tasks. x and y are numbers of tasks, from 1; a is of any sign.
Kernel coregion(const Vector& a, const Vector& v);
// An inner product of `count` random Fourier features whose expectation is k: rbf, matern, exponential or laplace.
Kernel random_features(const Kernel& k, int count = 1000, std::uint64_t seed = 1);

// ---- strings ----

// Letters are bytes; alphabet is "bytes", "chars" (UTF-8), "dna", "rna" or "protein".

// Inner product of counts of substrings of k letters.
Kernel spectrum(int k, const std::string& alphabet = "bytes");
// Of all substrings of `min` to `max` letters, with weights decay^(2 length).
Kernel substrings(int min, int max, double decay = 1, const std::string& alphabet = "bytes");
// Of subsequences, each weighted by decay^span; kind "exact": of so many letters, "blended": of one to so many.
Kernel subsequence(int length, double decay = 0.5, const std::string& kind = "exact",
                   const std::string& alphabet = "bytes");
// Of windows of g letters of which k count.
Kernel gapped(int g, int k, const std::string& alphabet = "bytes");
// Of substrings of k letters, each counted for all strings of the alphabet that differ from it in at most m.
Kernel mismatch(int k, int m, const std::string& alphabet = "bytes");
// Of substrings of up to d letters at the same place, in strings of one length.
Kernel weighted_degree(int d, const std::string& alphabet = "bytes");

// ---- graphs ----

// Which labels count is said by a word: "none", "nodes", "edges" or "both".
Kernel wl(int h, const std::string& labels = "nodes");  // colours of Weisfeiler and Lehman, by where edges lead to
Kernel shortest_path(
    const std::string& labels = "nodes");  // counts of pairs of two different nodes by labels and distance; or "none"
Kernel label_histogram();                  // counts of labels of nodes
Kernel graphlet(int size);                 // counts of induced subgraphs of 3 or 4 nodes
// Walks in common, weighted by lambda^s (kind "geometric"), lambda^s/s! ("exponential"), or lambda^s up to s = steps
// ("steps"; with the other kinds steps is 0).
Kernel random_walk(double lambda, const std::string& kind = "geometric", const std::string& labels = "none",
                   int steps = 0);
// The same of graphs whose nodes have real attributes, which a kernel compares; see `mercer kernels`.
Kernel wl(int h, const Kernel& base, const std::string& labels = "nodes");
Kernel shortest_path(const Kernel& node, const std::string& labels = "nodes");
Kernel random_walk(double lambda, const Kernel& node, const std::string& labels = "none");

// ---- bags, distributions, series ----

Kernel mean_embedding(const Kernel& k);                    // the mean of k over pairs of elements of two bags
Kernel rbf_of(const Kernel& k, double ell);                // exp(-d^2/(2 ell^2)), d the distance that k induces: MMD
Kernel bhattacharyya(double ridge = 0);                    // the integral of sqrt(p q); Gaussians, bags, histograms
Kernel expected_likelihood(double ridge = 0);              // the integral of p q
Kernel probability_product(double rho, double ridge = 0);  // the integral of (p q)^rho, rho > 0
Kernel gak(double sigma, int band = 0);                    // global alignment of series; band 0: none

// ---- nodes of a graph (mercer/nodes.hpp) ----

// A the weights of the edges, D their sums at each node. Undirected graphs, weights >= 0.
enum class Laplacian {
  plain,      // D - A
  normalized  // I - D^(-1/2) A D^(-1/2), and 0 for a node without edges
};
Kernel walks(int length);                                                  // (A^(2 length))_xy
Kernel diffusion(double t, Laplacian laplacian = Laplacian::plain);        // exp(-t L)_xy
Kernel regularized_laplacian(double sigma, Laplacian = Laplacian::plain);  // ((I + sigma^2 L)^-1)_xy
Kernel p_step(int p, double a = 2);                                        // ((a I - L)^p)_xy, L normalized, a >= 2

// ---- the catalog ----

// One row of the catalog: what `mercer kernels NAME` shows.
struct CatalogRow {
  std::string name, signature, formula, domain, conditions, because, citation;
  std::vector<std::string> arguments;  // one line each: range, default, other ways to write it
  bool is_rule = false;                // a closure rule, not an axiom
  std::string example;                 // a text that parses
};
std::vector<CatalogRow> catalog();
// Names of the maps that warp() knows and of the weights that scaled() knows.
std::vector<std::string> map_names();
std::vector<std::string> weight_names();

}  // namespace mercer
