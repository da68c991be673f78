// The catalog's rows of the closure rules.
#include "kernel/leaves.hpp"
#include "kernel/rows.hpp"

namespace mercer::detail {

using namespace row;

// clang-format off
std::vector<Entry> closure_rules() {
  return {
      // name, axiom or rule, domain, arguments, formula, side conditions, theorem, citation, example, emit
      {"sum", rule, "", {premise(), premise()}, "k1 + k2", "", "a sum of kernels is a kernel: c'(K1+K2)c = c'K1c + c'K2c",
       "Aronszajn 1950", "linear() + rbf(ell=1)", emit_sum},
      {"product", rule, "", {premise(), premise()}, "k1 * k2", "",
       "the entrywise product of positive semi-definite matrices is positive semi-definite", "Schur 1911",
       "linear()*rbf(ell=1)", emit_product},
      {"scale", rule, "", {nonnegative("scale", std::nan("")), premise()}, "c * k", "c >= 0",
       "a kernel times a number >= 0 is a kernel", "", "2*rbf(ell=1)", emit_scale},
      {"power", rule, "", {whole("degree", std::nan(""), 1, 64), premise()}, "k ^ degree", "degree a whole number >= 1",
       "a product of a kernel with itself", "Schur 1911", "(1 + linear())^3", emit_power},
      {"exp", rule, "", {premise()}, "exp(k)", "", "a power series with coefficients >= 0, a limit of sums of products",
       "Schur 1911", "exp(0.5*linear())", emit_exp},
      {"polynomial", rule, "", {list_of("coefficients", {.above = false}), premise()},
       "a_0 + a_1 k + a_2 k^2 + ...", "all coefficients >= 0", "sums of products of kernels, with weights >= 0",
       "Schur 1911", "polynomial([1, 0, 2], linear())", emit_polynomial},
      {"normalize", rule, "", {premise()}, "k(x,y) / sqrt(k(x,x) k(y,y))", "0 where k(x,x) = 0",
       "f(x) k(x,y) f(y) with f(x) = 1/sqrt(k(x,x))", "", "normalize(poly(degree=3, c=1))", emit_normalize},
      {"rbf_of", rule, "", {premise(), positive_or_auto("ell", 1, "0.6 of the median d")}, "exp(-d^2 / (2 ell^2)), d^2 = k(x,x) + k(y,y) - 2 k(x,y)",
       "ell > 0; of mean_embedding(k), d is the maximum mean discrepancy (MMD) of two bags",
       "d is the distance of the feature vectors of x and y, so d^2 is of negative type, and exp(-t d^2) a kernel for t >= 0",
       "Schoenberg 1938", "rbf_of(poly(degree=2, c=1), ell=2)", emit_rbf_of, nullptr, Heuristic::none, nullptr, nullptr, nullptr, typical_feature_distance},
      {"scaled", rule, "", {given("f", ArgKind::weight), premise()}, "f(x) k(x,y) f(y)", "f any function of one point",
       "c'DKDc = (Dc)'K(Dc) with D = diag f", "", "scaled(norm, rbf(ell=1))", emit_scaled, nullptr, Heuristic::none, scaled_domain},
      {"warp", rule, "", {given("phi", ArgKind::map), premise()}, "k(phi(x), phi(y))", "phi any map into the domain of k",
       "a kernel pulled back through a map: its matrix is a matrix of k", "", "warp(tanh, rbf(ell=1))", emit_warp, nullptr, Heuristic::none, warp_domain,
       warped},
      {"on", rule, "", {given("columns", ArgKind::columns), premise()}, "k(x_columns, y_columns)", "",
       "a kernel pulled back through the choice of columns", "", "on(1:2, rbf(ell=1))", emit_on, nullptr, Heuristic::none, on_domain, chosen_columns},
      {"random_features", rule, "", {premise(), whole("count", 1000, 2, 1e6), whole("seed", 1, 0, 9007199254740992)},
       "2/count sum_j cos(w_j.(x-y)), w_j one of count/2 frequencies drawn by seed",
       "k one of rbf, matern, exponential, laplace; count even",
       "an inner product of the count explicit features sqrt(2/count) (cos, sin)(w_j.x); its expectation over the draws is k, whose "
       "spectral density the frequencies are drawn from (Bochner), in orthogonal blocks but for laplace",
       "Rahimi & Recht 2007; Yu et al. 2016", "random_features(rbf(ell=1), count=100, seed=1)", emit_random_features, check_random_features},
  };
}
// clang-format on

}  // namespace mercer::detail
