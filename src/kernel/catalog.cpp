// The catalog. To add a kernel, write its emit function (src/kernel/leaf, string, ...) and one row here.
#include "kernel/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/text.hpp"
#include "kernel/leaves.hpp"
#include "kernel/maps.hpp"
#include "mercer/kernels.hpp"

namespace mercer::detail {

namespace {

constexpr bool axiom = false, rule = true;

Arg positive(std::string name, double fallback) {
  return {.name = std::move(name), .kind = ArgKind::real, .fallback = fallback};
}
Arg nonnegative(std::string name, double fallback) {
  return {.name = std::move(name), .kind = ArgKind::real, .fallback = fallback, .above = false};
}
Arg length_scale() { return {.name = "ell", .kind = ArgKind::per_column, .fallback = 1}; }
Arg whole(std::string name, double fallback, double lower, double upper) {
  return {.name = std::move(name),
          .kind = ArgKind::integer,
          .fallback = fallback,
          .lower = lower,
          .above = false,
          .upper = upper};
}
Arg one_of(std::string name, double fallback, std::vector<double> choices) {
  return {.name = std::move(name), .kind = ArgKind::choice, .fallback = fallback, .choices = std::move(choices)};
}
Arg number_up_to(std::string name, double fallback, double upper) {
  return {.name = std::move(name), .kind = ArgKind::number, .fallback = fallback, .upper = upper};
}
Arg given(std::string name, ArgKind kind) { return {.name = std::move(name), .kind = kind}; }
Arg premise() { return given("k", ArgKind::kernel); }

Arg rbf_length_scale() {
  Arg ell = length_scale();
  ell.aliases = {{"gamma", [](double gamma) { return 1 / std::sqrt(2 * gamma); }},
                 {"sigma", [](double sigma) { return sigma; }}};
  return ell;
}

// clang-format off
std::vector<Entry> make_entries() {
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
      {"min", axiom, "reals", {}, "prod_k min(x_k, y_k)", "all inputs >= 0",
       "min(x,y) is the inner product of the indicators of [0,x] and [0,y]: the covariance of Brownian motion",
       "Wiener 1923", "min()", emit_min},
      {"multilinear", axiom, "reals", {}, "prod_k (1 + x_k y_k)", "",
       "a product over columns of 1 + x_k y_k: the inner product of all products of distinct columns",
       "Schur 1911", "multilinear()", emit_multilinear},
      {"quadratic", axiom, "reals", {given("A", ArgKind::matrix)}, "x'Ay",
       "A symmetric with no eigenvalue < 0, checked when built", "A = FF', so x'Ay is the inner product of F'x and F'y",
       "spectral theorem", "quadratic(A=[[2, 1], [1, 2]])", emit_quadratic, check_quadratic},
      {"cosine", axiom, "reals", {}, "x.y / (|x| |y|)", "the zero vector has the value 0 with everything",
       "the inner product of x/|x| and y/|y|", "", "cosine()", emit_cosine},
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
      {"spectrum", axiom, "strings", {whole("k", 3, 1, 1 << 20)}, "sum_s count_s(x) count_s(y) over substrings s of k bytes",
       "k a whole number >= 1", "the inner product of counts of contiguous substrings", "Leslie, Eskin & Noble 2002",
       "spectrum(k=3)", emit_spectrum},
      {"assume_psd", axiom, "reals", {given("similarity", ArgKind::similarity), given("because", ArgKind::text)},
       "a formula in x and y", "none is checked",
       "ASSUMED, not proved", "", "assume_psd(tanh(dot(x,y)), \"the reason\")", emit_assumed},

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
      {"polynomial", rule, "", {{.name = "coefficients", .kind = ArgKind::coefficients, .above = false}, premise()},
       "a_0 + a_1 k + a_2 k^2 + ...", "all coefficients >= 0", "sums of products of kernels, with weights >= 0",
       "Schur 1911", "polynomial([1, 0, 2], linear())", emit_polynomial},
      {"normalize", rule, "", {premise()}, "k(x,y) / sqrt(k(x,x) k(y,y))", "0 where k(x,x) = 0",
       "f(x) k(x,y) f(y) with f(x) = 1/sqrt(k(x,x))", "", "normalize(poly(degree=3, c=1))", emit_normalize},
      {"scaled", rule, "", {given("f", ArgKind::weight), premise()}, "f(x) k(x,y) f(y)", "f any function of one point",
       "c'DKDc = (Dc)'K(Dc) with D = diag f", "", "scaled(norm, rbf(ell=1))", emit_scaled},
      {"warp", rule, "", {given("phi", ArgKind::map), premise()}, "k(phi(x), phi(y))", "phi any map into the domain of k",
       "a kernel pulled back through a map: its matrix is a matrix of k", "", "warp(tanh, rbf(ell=1))", emit_warp},
      {"on", rule, "", {given("columns", ArgKind::columns), premise()}, "k(x_columns, y_columns)", "",
       "a kernel pulled back through the choice of columns", "", "on(1:2, rbf(ell=1))", emit_on},
  };
}
// clang-format on

}  // namespace

std::span<const Entry> entries() {
  static const std::vector<Entry> all = make_entries();
  return all;
}

const Entry* find_entry(std::string_view name) {
  const auto all = entries();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Entry& e) { return e.name == name; });
  return at == all.end() ? nullptr : &*at;
}

const Entry& entry(std::string_view name) {
  const Entry* found = find_entry(name);
  assert(found != nullptr);
  return *found;
}

}  // namespace mercer::detail

namespace mercer {

namespace {

std::string signature(const detail::Entry& entry) {
  if (entry.name == "sum" || entry.name == "product" || entry.name == "scale" || entry.name == "power")
    return entry.formula;
  std::vector<std::string> args;
  for (const detail::Arg& arg : entry.args)
    args.push_back(arg.required() ? arg.name : arg.name + "=" + number(arg.fallback));
  return fmt::format("{}({})", entry.name, fmt::join(args, ", "));
}

std::string describe(const detail::Arg& arg) {
  using detail::ArgKind;
  std::string text = arg.name + ": ";
  switch (arg.kind) {
    case ArgKind::real: text += fmt::format("a number {} {}", arg.above ? ">" : ">=", arg.lower); break;
    case ArgKind::per_column:
      text += "a number > 0, or a list with one per column; auto: 0.6 of the median distance";
      break;
    case ArgKind::coefficients: text += "a list of numbers >= 0"; break;
    case ArgKind::integer: text += fmt::format("a whole number from {} to {}", arg.lower, arg.upper); break;
    case ArgKind::number: text += fmt::format("a number > {}, at most {}", arg.lower, arg.upper); break;
    case ArgKind::choice: text += fmt::format("one of {}", fmt::join(arg.choices, ", ")); break;
    case ArgKind::matrix: text += "a matrix, [[2, 1], [1, 2]]"; break;
    case ArgKind::columns: text += "a name, a number from 1, a range x1:x5, or a list of these in [ ]"; break;
    case ArgKind::map: text += fmt::format("a map: {}", fmt::join(map_names(), ", ")); break;
    case ArgKind::weight: text += fmt::format("a weight: {}", fmt::join(weight_names(), ", ")); break;
    case ArgKind::similarity: text += "a formula in x and y"; break;
    case ArgKind::text: text += "a text in quotes"; break;
    case ArgKind::kernel: text += "a kernel"; break;
  }
  if (!arg.required()) text += fmt::format(" (default {})", arg.fallback);
  for (const detail::Alias& alias : arg.aliases) text += fmt::format("; or {}=", alias.name);
  return text;
}

}  // namespace

std::vector<CatalogRow> catalog() {
  std::vector<CatalogRow> out;
  for (const detail::Entry& e : detail::entries()) {
    std::vector<std::string> arguments;
    for (const detail::Arg& arg : e.args) arguments.push_back(describe(arg));
    out.push_back({e.name, signature(e), e.formula, e.domain, e.conditions, e.because, e.citation, arguments, e.is_rule,
                   e.example});
  }
  return out;
}

std::vector<std::string> map_names() {
  std::vector<std::string> names;
  for (const detail::ElementMap& map : detail::element_maps()) names.emplace_back(map.name);
  return names;
}

std::vector<std::string> weight_names() {
  std::vector<std::string> names = map_names();
  for (const detail::Weight& weight : detail::weights()) names.emplace_back(weight.name);
  return names;
}

}  // namespace mercer
