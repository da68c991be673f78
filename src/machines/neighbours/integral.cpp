// Integrals of kernels over R^d, by their expressions.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/fail.hpp"
#include "kernel/catalog.hpp"
#include "mercer/machines/kde.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

using detail::Node;

[[noreturn]] void refuse(const Node& node, std::string_view why) {
  fail(
      ErrorKind::kernel,
      "kde: {} cannot be normalised: {}; use rbf, laplace, exponential or matern, their sums, or products over columns",
      node.entry->is_rule ? fmt::format("the rule {}", node.entry->name) : node.entry->name + "()", why);
}

// prod_k ell_k: a change of the length scales is a change of the variables.
double volume(const Node& node, Index d) {
  const detail::Param& ell = node.param("ell");
  if (!ell.list) return std::pow(ell.values.front(), static_cast<double>(d));
  double product = 1;
  for (const double scale : ell.values) product *= scale;
  return product;
}

// Integrals of the leaves at ell = 1.
double unit_integral(const Node& node, Index columns) {
  const std::string& name = node.entry->name;
  const double d = static_cast<double>(columns), pi = std::numbers::pi;
  if (name == "rbf") return std::pow(2 * pi, d / 2);
  if (name == "laplace") return std::pow(2, d);
  // The surface of the sphere times the integral of r^(d-1) exp(-r).
  if (name == "exponential") return 2 * std::pow(pi, d / 2) * std::exp(std::lgamma(d) - std::lgamma(d / 2));
  // The spectral density at frequency 0 (Rasmussen & Williams 2006, eq. 4.15).
  if (name == "matern") {
    const double nu = node.number("nu");
    return std::pow(2 * pi / nu, d / 2) * std::exp(std::lgamma(nu + d / 2) - std::lgamma(nu));
  }
  if (name == "rq") {  // a multivariate Student t
    const double alpha = node.param("alpha").values.front();
    if (!(alpha > d / 2)) refuse(node, fmt::format("its integral is infinite unless alpha > d/2 = {}", d / 2));
    return std::pow(2 * pi * alpha, d / 2) * std::exp(std::lgamma(alpha - d / 2) - std::lgamma(alpha));
  }
  refuse(node, "its integral over all inputs is not finite, or not known");
}

double integrate(const Node& node, const Points& x);

// A factor of a product: the columns it is on, and its integral over them.
double integrate_product(const Node& node, const Points& x) {
  std::vector<bool> seen(static_cast<std::size_t>(x.domain().dimension), false);
  double product = 1;
  for (const detail::NodePtr& child : node.children) {
    if (child->entry->name != "on") refuse(node, "its factors share columns");
    for (const Index column : x.rep().positions(std::get<Columns>(child->option("columns")))) {
      if (seen[static_cast<std::size_t>(column)]) refuse(node, "its factors share columns");
      seen[static_cast<std::size_t>(column)] = true;
    }
    product *= integrate(*child->children.front(), x.columns(std::get<Columns>(child->option("columns"))));
  }
  if (std::find(seen.begin(), seen.end(), false) != seen.end()) refuse(node, "it leaves out a column of the inputs");
  return product;
}

double integrate(const Node& node, const Points& x) {
  const Index d = x.domain().dimension;
  const std::string& name = node.entry->name;
  if (!node.entry->is_rule) {
    const double unit = unit_integral(node, d);  // first: it refuses leaves that have no ell
    return unit * volume(node, d);
  }
  if (name == "scale") return node.param("scale").values.front() * integrate(*node.children.front(), x);
  if (name == "product") return integrate_product(node, x);
  if (name == "sum") {
    double total = 0;
    for (const detail::NodePtr& child : node.children) total += integrate(*child, x);
    return total;
  }
  if (name == "on") {
    const Points inner = x.columns(std::get<Columns>(node.option("columns")));
    if (inner.domain().dimension != d) refuse(node, "it leaves out a column of the inputs");
    return integrate(*node.children.front(), inner);
  }
  refuse(node, "its integral is not known");
}

}  // namespace

double integral(const Kernel& k, const Points& x) {
  if (x.domain().kind != "reals") {
    fail(ErrorKind::domain, "kde: a density is over real vectors, and the inputs are {}", x.domain().str());
  }
  const Kernel resolved = k.resolve(x);
  const double Z = integrate(resolved.node(), x);
  if (!(Z > 0) || !std::isfinite(Z)) {
    fail(ErrorKind::numeric,
         "kde: the integral of {} in {} dimensions is {}, beyond floating point; rescale the inputs", resolved.str(),
         x.domain().dimension, Z);
  }
  return Z;
}

}  // namespace mercer
