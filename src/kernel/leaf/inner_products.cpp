// linear, const, poly, multilinear, quadratic, cosine, features: functions of x.y.
#include <cmath>

#include "base/fail.hpp"
#include "kernel/leaves.hpp"
#include "kernel/program_parts.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

Value emit_linear(const Site& site, Emitter& e) { return {.factors = {e.dot(site.view, "linear()")}}; }

Value emit_constant(const Site& site, Emitter&) {
  return {.scales = {site.param("c")}, .bound = site.param("c").value};
}

Value emit_poly(const Site& site, Emitter& e) {
  const ParamRef c = site.param("c");
  const int degree = static_cast<int>(site.node.number("degree"));
  return {.factors = {e.op(power_op(e.dot(site.view, "poly()"), {c.value, {{c.at, 1.0}}}, degree))}};
}

Value emit_multilinear(const Site& site, Emitter& e) {
  return {.factors = {e.edge(site.view, multilinear_edge("multilinear()"), "multilinear")}};
}

// A = F F' with F = Q sqrt(Lambda): x'Ay is the inner product of F'x and F'y.
Domain quadratic_domain(const Node& node) { return {"reals", std::get<Matrix>(node.option("A")).rows()}; }

Value emit_quadratic(const Site& site, Emitter& e) {
  const Matrix& a = std::get<Matrix>(site.node.option("A"));
  const linalg::Eigen eigen = linalg::eigen(a);
  Matrix factor(a.rows(), a.rows());
  for (Index c = 0; c < a.rows(); ++c) {
    const double root = std::sqrt(std::max(0.0, eigen.values[static_cast<std::size_t>(c)]));
    for (Index r = 0; r < a.rows(); ++r) factor(r, c) = root * eigen.vectors(c, r);
  }
  const View mapped = e.through(site.view, factor_step(std::move(factor)), fmt::format("factor{}", fmt::ptr(&a)));
  return {.factors = {e.dot(mapped, "quadratic()")}};
}

void check_quadratic(const Node& node) {
  const Matrix& a = std::get<Matrix>(node.option("A"));
  if (a.rows() != a.cols() || a.rows() == 0) {
    fail(ErrorKind::kernel, "quadratic(): A is {} x {}; it must be square", a.rows(), a.cols());
  }
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      if (!std::isfinite(a(i, j))) fail(ErrorKind::kernel, "quadratic(): A({}, {}) is {}", i + 1, j + 1, a(i, j));
      if (a(i, j) != a(j, i)) {
        fail(ErrorKind::kernel, "quadratic(): A is not symmetric: A({0}, {1}) = {2}, A({1}, {0}) = {3}", i + 1, j + 1,
             a(i, j), a(j, i));
      }
    }
  }
  const Vector values = linalg::eigenvalues(a);
  const double largest = std::max(std::abs(values.front()), std::abs(values.back()));
  const double rounding = 1e-14 * static_cast<double>(a.rows()) * largest;
  if (values.front() < -rounding) {
    fail(ErrorKind::kernel,
         "quadratic(): A is not positive semi-definite: its smallest eigenvalue is {:.6g}; "
         "add at least that much to its diagonal",
         values.front());
  }
}

Value emit_cosine(const Site& site, Emitter& e) {
  return {.factors = {e.dot(e.unit(site.view, "cosine()"), "cosine()")}, .bound = 1};
}

Value emit_features(const Site& site, Emitter& e) {
  const auto& map = std::get<NamedMap>(site.node.option("phi"));
  const View mapped = e.through(site.view, map_step(map), fmt::format("map{}", fmt::ptr(map.custom.get())));
  return {.factors = {e.dot(mapped, "features()")}};
}

}  // namespace mercer::detail
