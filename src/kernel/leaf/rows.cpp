// The catalog's rows of kernels on real vectors (and of those on anything).
#include "kernel/rows.hpp"

#include "kernel/leaves.hpp"

namespace mercer::detail {

using namespace row;

namespace {

Arg rbf_length_scale() {
  Arg ell = length_scale();
  ell.aliases = {{"gamma", [](double gamma) { return 1 / std::sqrt(2 * gamma); }},
                 {"sigma", [](double sigma) { return sigma; }}};
  return ell;
}

}  // namespace

// clang-format off
std::vector<Entry> real_kernels() {
  return {
      // name, axiom or rule, domain, arguments, formula, side conditions, theorem, citation, example, emit
      {"linear", axiom, "reals", {}, "x.y", "",
       "an inner product is a kernel: c'Kc = |sum_i c_i x_i|^2", "Aronszajn 1950", "linear()", emit_linear},
      {"const", axiom, "any", {nonnegative("c", 1)}, "c", "c >= 0",
       "the inner product of the constant feature sqrt(c)", "", "const(c=2)", emit_constant},
      {"poly", axiom, "reals", {whole("degree", 2, 1, 64), nonnegative("c", 1)}, "(x.y + c)^degree",
       "degree a whole number >= 1, c >= 0",
       "a polynomial with coefficients >= 0 of the inner product", "Schur 1911; Poggio 1975", "poly(degree=3, c=1)",
       emit_poly},
      {"rbf", axiom, "reals", {rbf_length_scale()}, "exp(-|x-y|^2 / (2 ell^2))", "ell > 0, one number or one per column",
       "exp(-t psi) is a kernel for t >= 0 when psi, here |x-y|^2, is of negative type", "Schoenberg 1938",
       "rbf(ell=0.5)", emit_rbf, nullptr, Heuristic::median_distance},
      {"laplace", axiom, "reals", {length_scale()}, "exp(-|x-y|_1 / ell)", "ell > 0, one number or one per column",
       "a product over columns of exp(-|x_k-y_k|/ell), each the transform of a Cauchy density (Bochner)",
       "Bochner 1933", "laplace(ell=2)", emit_laplace, nullptr, Heuristic::median_absolute_distance},
      {"exponential", axiom, "reals", {length_scale()}, "exp(-|x-y|_2 / ell)", "ell > 0, one number or one per column",
       "exp(-t psi) is a kernel for t >= 0 when psi, here |x-y|, is of negative type", "Schoenberg 1938",
       "exponential(ell=2)", emit_exponential, nullptr, Heuristic::median_distance},
      {"matern", axiom, "reals", {number_up_to("nu", 1.5, 1e4), length_scale()},
       "2^(1-nu)/Gamma(nu) s^nu K_nu(s), s = sqrt(2 nu) |x-y| / ell; for nu = 0.5, 1.5, 2.5: p(s) exp(-s), p = 1, 1+s, 1+s+s^2/3",
       "nu > 0, not learnt; ell > 0; Euclidean distance",
       "its spectral density, a Student t in the frequency, is positive in every dimension (Bochner)",
       "Matern 1960; Stein 1999", "matern(nu=1.5, ell=0.3)", emit_matern, nullptr, Heuristic::median_distance},
      {"rq", axiom, "reals", {length_scale(), positive("alpha", 1)}, "(1 + |x-y|^2 / (2 alpha ell^2))^-alpha",
       "ell > 0, alpha > 0", "a mixture, with Gamma weights, of rbf kernels of all length scales",
       "Rasmussen & Williams 2006, eq. 4.19", "rq(ell=1.2, alpha=0.8)", emit_rq, nullptr, Heuristic::median_distance},
      {"periodic", axiom, "reals", {positive("period", 1), positive("ell", 1)},
       "exp(-2 sum_k sin^2(pi (x_k-y_k) / period) / ell^2)", "period > 0, ell > 0",
       "the rbf kernel of the points (cos, sin)(2 pi x_k / period), column by column, so valid in any dimension",
       "MacKay 1998", "periodic(period=1, ell=1.3)", emit_periodic},
      {"wave", axiom, "reals", {positive("period", 1)}, "sum_k cos(2 pi (x_k-y_k) / period)", "period > 0",
       "the inner product of the points (cos, sin)(2 pi x_k / period), column by column", "Bochner 1933", "wave(period=2)",
       emit_wave},
      {"sho", axiom, "reals", {positive("omega", 1), between("q", 1, 1e-3, 1e6)},
       "prod_k exp(-d u) (cos(s u) + d sin(s u) / s), u = omega |x_k-y_k|, d = 1 / (2 q), s = sqrt(1 - d^2); cosh and sinh where d > 1",
       "omega > 0, q from 1e-3 to 1e6", "a product over columns of the covariance of a damped oscillator driven by white noise",
       "Foreman-Mackey, Agol, Ambikasaran & Angus 2017", "sho(omega=2, q=3)", emit_sho},
      {"wendland", axiom, "reals", {one_of("k", 1, {0, 1, 2, 3}), length_scale()},
       "(1-r)^(j+k) p_k(r) for r = |x-y| / ell < 1, else 0; j = floor(d/2) + k + 1 for d columns; p_0 = 1, p_1 = (j+1) r + 1, "
       "p_2 = ((j+1)(j+3) r^2 + (3j+6) r + 3)/3, p_3 = ((j+1)(j+3)(j+5) r^3 + (6j^2+36j+45) r^2 + (15j+45) r + 15)/15",
       "k = 0, 1, 2 or 3, not learnt: f is k times differentiable; ell > 0, from which distance on it is 0",
       "(1-r)^j is of positive type for j >= floor(d/2) + 1 (Askey), and k-fold integration of r f(r) from j = floor(d/2) + k + 1 "
       "gives this one: each trades two dimensions for a derivative",
       "Wendland 1995; Rasmussen & Williams 2006, eq. 4.21", "wendland(k=1, ell=2)", emit_wendland, nullptr,
       Heuristic::median_distance},
      {"min", axiom, "reals", {}, "prod_k min(x_k, y_k)", "all inputs >= 0",
       "min(x,y) is the inner product of the indicators of [0,x] and [0,y]: the covariance of Brownian motion",
       "Wiener 1923", "min()", emit_min},
      {"multilinear", axiom, "reals", {}, "prod_k (1 + x_k y_k)", "",
       "a product over columns of 1 + x_k y_k: the inner product of all products of distinct columns",
       "Schur 1911", "multilinear()", emit_multilinear},
      {"quadratic", axiom, "reals", {given("A", ArgKind::matrix)}, "x'Ay",
       "A symmetric with no eigenvalue < 0, checked when built", "A = FF', so x'Ay is the inner product of F'x and F'y",
       "spectral theorem", "quadratic(A=[[2, 1], [1, 2]])", emit_quadratic, check_quadratic, Heuristic::none, quadratic_domain},
      {"cosine", axiom, "reals", {}, "x.y / (|x| |y|)", "the zero vector has the value 0 with everything",
       "the inner product of x/|x| and y/|y|", "", "cosine()", emit_cosine},
      {"equal", axiom, "any", {}, "1 where x = y, else 0", "texts, numbers (all columns), or anything else that can be told apart",
       "the inner product of indicators of the categories", "", "equal()", emit_equal},
      {"hamming", axiom, "reals", {}, "the share of columns k with x_k = y_k", "",
       "the mean over columns of the inner products of indicators of the values", "", "hamming()", emit_hamming},
      of_labels({"coregion", axiom, "reals", {list_of("a", ValueRange::any()), list_of("v", {.above = false})},
       "a_x a_y, and v_x more where x = y",
       "one column, of whole numbers from 1 to the length of a: the number of a task; a of any sign, v >= 0, one of each for every task",
       "an entry of B = a a' + diag(v), and c'Bc = (a.c)^2 + sum_i v_i c_i^2", "Goovaerts 1997; Bonilla, Chai & Williams 2008",
       "coregion(a=[1, -0.5], v=[0.1, 0.3])", emit_coregion, check_coregion, Heuristic::none, coregion_domain}),
      {"tanimoto", axiom, "reals", {}, "x.y / (|x|^2 + |y|^2 - x.y)",
       "the zero vector has the value 0 with everything, itself included; of 0/1 vectors: shared ones over all ones",
       "sum_n (x.y / (|x|^2 + |y|^2))^n over n >= 1, and 1 / (|x|^2 + |y|^2) is the integral of exp(-t |x|^2) exp(-t |y|^2)",
       "Gower 1971; Ralaivola, Swamidass, Saigo & Baldi 2005", "tanimoto()", emit_tanimoto},
      {"chi2", axiom, "reals", {positive("gamma", 1)}, "exp(-gamma sum_k (x_k-y_k)^2 / (x_k+y_k))",
       "gamma > 0; all inputs >= 0; columns that are 0 in both add nothing",
       "(x-y)^2/(x+y) = x + y - 4 xy/(x+y) is of negative type: xy/(x+y) is the integral of x exp(-tx) y exp(-ty)",
       "Schoenberg 1938; Fowlkes, Belongie, Chung & Malik 2004", "chi2(gamma=0.5)", emit_chi2},
      {"arccos", axiom, "reals", {one_of("order", 1, {0, 1})},
       "1 - t/pi (order 0), |x||y| (sin t + (pi - t) cos t)/pi (order 1); t the angle of x and y",
       "order 0 or 1; the zero vector has the value 1/2 (order 0), 0 (order 1)",
       "the expected product of two random units step(w.x) or max(0, w.x), w normal", "Cho & Saul 2009",
       "arccos(order=1)", emit_arccos},
      {"ntk", axiom, "reals", {whole("depth", 1, 1, 64)},
       "T_depth: T_0 = x.y, T_h = T_(h-1) a0(t_h) + |x||y| a1(t_h), with a0, a1 the arccos kernels",
       "depth a whole number >= 1",
       "the inner product of the gradients, in its weights, of an infinitely wide ReLU network with `depth` hidden layers",
       "Jacot, Gabriel & Hongler 2018", "ntk(depth=2)", emit_ntk},
      {"features", axiom, "reals", {given("phi", ArgKind::map)}, "phi(x).phi(y)", "phi any function, given in C++ or Python",
       "an inner product of features is a kernel: c'Kc = |sum_i c_i phi(x_i)|^2", "Aronszajn 1950", "", emit_features},
      {"assume_psd", axiom, "reals", {given("similarity", ArgKind::similarity), given("because", ArgKind::text)},
       "a formula in x and y", "none is checked",
       "ASSUMED, not proved", "", "assume_psd(tanh(dot(x,y)), \"the reason\")", emit_assumed},
  };
}
// clang-format on

}  // namespace mercer::detail
