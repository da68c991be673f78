#include "kernel/build.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "mercer/kernels.hpp"

namespace mercer::detail {

namespace {

const Arg& arg_of(const Entry& entry, std::string_view name) {
  return *std::find_if(entry.args.begin(), entry.args.end(), [&](const Arg& arg) { return arg.name == name; });
}

Param param(std::string_view kernel, std::string_view name, const Vector& values) {
  Param p = detail::param(kernel, name, 1.0);
  p.values = values;
  p.list = true;
  return p;
}

// The premises of a flat rule: those of `k` if it is that rule itself, else k.
void append(std::vector<NodePtr>& children, const Entry& rule, const Kernel& k) {
  if (k.node().entry == &rule) {
    children.insert(children.end(), k.node().children.begin(), k.node().children.end());
  } else {
    children.push_back(k.share());
  }
}

Kernel flat(std::string_view name, const Kernel& a, const Kernel& b) {
  std::vector<NodePtr> children;
  append(children, entry(name), a);
  append(children, entry(name), b);
  return TrustedCore::theorem(entry(name), {}, {}, std::move(children));
}

Kernel premise_of(const Kernel& k) {
  const NodePtr& child = k.node().children.front();
  return TrustedCore::theorem(*child->entry, child->params, child->options, child->children);
}

bool is_scale(const Kernel& k) { return k.node().entry == &entry("scale"); }

}  // namespace

Param param(std::string_view kernel, std::string_view name, double value) {
  return plain(arg_of(entry(kernel), name), value);
}

Param plain(const Arg& arg, double value) { return {arg.name, {value}, arg.range.lower, arg.range.upper}; }

bool is_plain(const Param& p, const Arg& arg) {
  return !p.fixed && !p.automatic && p.lower == arg.range.lower && p.upper == arg.range.upper;
}

Kernel axiom(std::string_view name, std::vector<Param> params, std::vector<Option> options) {
  return TrustedCore::theorem(entry(name), std::move(params), std::move(options), {});
}

Kernel rule(std::string_view name, const Kernel& k, std::vector<Param> params, std::vector<Option> options) {
  return TrustedCore::theorem(entry(name), std::move(params), std::move(options), {k.share()});
}

Param scale_param(double c) { return param("scale", "scale", c); }

Kernel sum(const Kernel& a, const Kernel& b) { return flat("sum", a, b); }

Kernel product(const Kernel& a, const Kernel& b) {
  if (is_scale(a)) return scale(a.node().params.front(), product(premise_of(a), b));
  if (is_scale(b)) return scale(b.node().params.front(), product(a, premise_of(b)));
  return flat("product", a, b);
}

Kernel scale(const Param& c, const Kernel& k) {
  const Arg& arg = entry("scale").args.front();
  // Two plain numbers are one: as two parameters they could not be told apart.
  if (is_scale(k) && is_plain(c, arg) && is_plain(k.node().params.front(), arg)) {
    Param joined = c;
    joined.values.front() *= k.node().params.front().values.front();
    return rule("scale", premise_of(k), {joined});
  }
  return rule("scale", k, {c});
}

}  // namespace mercer::detail

namespace mercer {

using namespace detail;

Kernel operator+(const Kernel& a, const Kernel& b) { return sum(a, b); }
Kernel operator*(const Kernel& a, const Kernel& b) { return detail::product(a, b); }
Kernel operator*(double c, const Kernel& k) { return scale(scale_param(c), k); }
Kernel operator*(const Kernel& k, double c) { return c * k; }
Kernel operator+(double c, const Kernel& k) { return constant(c) + k; }
Kernel operator+(const Kernel& k, double c) { return k + constant(c); }
Kernel pow(const Kernel& k, int degree) { return rule("power", k, {}, {static_cast<double>(degree)}); }
Kernel exp(const Kernel& k) { return rule("exp", k); }
Kernel polynomial(const Vector& coefficients, const Kernel& k) {
  return rule("polynomial", k, {param("polynomial", "coefficients", coefficients)});
}
Kernel normalize(const Kernel& k) { return rule("normalize", k); }
Kernel rbf_of(const Kernel& k, double ell) { return rule("rbf_of", k, {param("rbf_of", "ell", ell)}); }
Kernel random_features(const Kernel& k, int count, std::uint64_t seed) {
  return rule("random_features", k, {}, {static_cast<double>(count), static_cast<double>(seed)});
}
Kernel on(const Columns& columns, const Kernel& k) { return rule("on", k, {}, {columns}); }
Kernel warp(const FeatureMap& phi, const Kernel& k) {
  return rule("warp", k, {}, {NamedMap{phi.name, std::make_shared<const FeatureMap>(phi)}});
}
Kernel warp(std::string_view map, const Kernel& k) {
  return rule("warp", k, {}, {NamedMap{std::string(map), nullptr}});
}
Kernel scaled(const WeightFunction& f, const Kernel& k) {
  return rule("scaled", k, {}, {NamedWeight{f.name, std::make_shared<const WeightFunction>(f)}});
}
Kernel scaled(std::string_view f, const Kernel& k) {
  return rule("scaled", k, {}, {NamedWeight{std::string(f), nullptr}});
}

Kernel linear() { return axiom("linear"); }
Kernel constant(double c) { return axiom("const", {param("const", "c", c)}); }
Kernel poly(int degree, double c) { return axiom("poly", {param("poly", "c", c)}, {static_cast<double>(degree)}); }
Kernel rbf(double ell) { return axiom("rbf", {param("rbf", "ell", ell)}); }
Kernel rbf(const Vector& ell) { return axiom("rbf", {param("rbf", "ell", ell)}); }
Kernel laplace(double ell) { return axiom("laplace", {param("laplace", "ell", ell)}); }
Kernel exponential(double ell) { return axiom("exponential", {param("exponential", "ell", ell)}); }
Kernel matern(double nu, double ell) { return axiom("matern", {param("matern", "ell", ell)}, {nu}); }
Kernel matern(double nu, const Vector& ell) { return axiom("matern", {param("matern", "ell", ell)}, {nu}); }
Kernel rq(double ell, double alpha) { return axiom("rq", {param("rq", "ell", ell), param("rq", "alpha", alpha)}); }
Kernel periodic(double period, double ell) {
  return axiom("periodic", {param("periodic", "period", period), param("periodic", "ell", ell)});
}
Kernel sho(double omega, double q) { return axiom("sho", {param("sho", "omega", omega), param("sho", "q", q)}); }
Kernel min() { return axiom("min"); }
Kernel multilinear() { return axiom("multilinear"); }
Kernel quadratic(const Matrix& a) { return axiom("quadratic", {}, {a}); }
Kernel cosine() { return axiom("cosine"); }
Kernel equal() { return axiom("equal"); }
Kernel coregion(const Vector& a, const Vector& v) {
  return axiom("coregion", {param("coregion", "a", a), param("coregion", "v", v)});
}
Kernel hamming() { return axiom("hamming"); }
Kernel tanimoto() { return axiom("tanimoto"); }
Kernel chi2(double gamma) { return axiom("chi2", {param("chi2", "gamma", gamma)}); }
Kernel arccos(int order) { return axiom("arccos", {}, {static_cast<double>(order)}); }
Kernel ntk(int depth) { return axiom("ntk", {}, {static_cast<double>(depth)}); }
Kernel features(const FeatureMap& phi) {
  return axiom("features", {}, {NamedMap{phi.name, std::make_shared<const FeatureMap>(phi)}});
}

Kernel mean_embedding(const Kernel& k) { return rule("mean_embedding", k); }
Kernel bhattacharyya(double ridge) { return axiom("bhattacharyya", {param("bhattacharyya", "ridge", ridge)}); }
Kernel expected_likelihood(double ridge) {
  return axiom("expected_likelihood", {param("expected_likelihood", "ridge", ridge)});
}
Kernel probability_product(double rho, double ridge) {
  return axiom("probability_product",
               {param("probability_product", "rho", rho), param("probability_product", "ridge", ridge)});
}
Kernel gak(double sigma, int band) { return axiom("gak", {param("gak", "sigma", sigma)}, {static_cast<double>(band)}); }

Kernel assume_psd(const Similarity& s, const std::string& because) { return axiom("assume_psd", {}, {s, because}); }

}  // namespace mercer
