#include "io/libsvm_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/fail.hpp"
#include "io/readers.hpp"
#include "kernel/catalog.hpp"
#include "mercer/kernels.hpp"

namespace mercer::detail {

namespace {

double only_value(const Param& p) { return p.values.front(); }

// a x.y + c, of a node that is this.
struct Affine {
  double a = 0, c = 0;
};

std::optional<Affine> affine(const Node& node) {
  const std::string& name = node.entry->name;
  if (name == "linear") return Affine{1, 0};
  if (name == "const") return Affine{0, only_value(node.params.front())};
  if (name == "poly" && node.number("degree") == 1) return Affine{1, only_value(node.param("c"))};
  Affine out;
  for (const NodePtr& child : node.children) {
    const auto part = affine(*child);
    if (!part || (name != "sum" && name != "scale")) return std::nullopt;
    out = {out.a + part->a, out.c + part->c};
  }
  if (node.children.empty()) return std::nullopt;
  if (name == "scale") {
    const double factor = only_value(node.params.front());
    return Affine{factor * out.a, factor * out.c};
  }
  return out;
}

// The kernel without its factors, or nothing.
std::optional<LibsvmKernel> match(const Node& node) {
  const std::string& name = node.entry->name;
  if (name == "linear") return LibsvmKernel{.type = "linear"};
  if (name == "scale") {
    auto inner = match(*node.children.front());
    if (inner) inner->factor *= only_value(node.params.front());
    return inner;
  }
  if (name == "rbf") {
    const Vector& ell = node.params.front().values;
    if (std::any_of(ell.begin(), ell.end(), [&](double e) { return e != ell.front(); })) return std::nullopt;
    const double gamma = 0.5 / (ell.front() * ell.front());
    if (!std::isfinite(gamma) || gamma == 0) return std::nullopt;
    return LibsvmKernel{.type = "rbf", .gamma = gamma};
  }
  if (name == "poly") {
    return LibsvmKernel{
        .type = "polynomial", .degree = static_cast<int>(node.number("degree")), .coef0 = only_value(node.param("c"))};
  }
  const bool power = name == "power";
  const auto inside = affine(power ? *node.children.front() : node);
  if (!inside || !(inside->a > 0)) return std::nullopt;
  const int degree = power ? static_cast<int>(node.number("degree")) : 1;
  return LibsvmKernel{.type = "polynomial", .degree = degree, .gamma = inside->a, .coef0 = inside->c};
}

}  // namespace

Kernel to_kernel(const LibsvmKernel& k) {
  if (k.type == "sigmoid") {
    fail(ErrorKind::kernel, "the sigmoid kernel is not positive semi-definite, so it is none here; train with another");
  }
  if (k.type == "linear") return linear();
  if (!(k.gamma > 0) || !std::isfinite(k.gamma)) {
    fail(ErrorKind::kernel, "gamma must be a finite number > 0, not {}", k.gamma);
  }
  if (k.type == "rbf") return rbf(1 / std::sqrt(2 * k.gamma));
  if (k.type != "polynomial") fail(ErrorKind::kernel, "no kernel_type is called {}", shown(k.type));
  if (!(k.coef0 >= 0)) {
    fail(ErrorKind::kernel, "a polynomial kernel with coef0 = {} < 0 is not positive semi-definite", k.coef0);
  }
  if (k.gamma == 1) return poly(k.degree, k.coef0);
  const Kernel product = k.gamma * linear();
  return pow(k.coef0 == 0 ? product : product + k.coef0, k.degree);
}

LibsvmKernel to_libsvm(const Kernel& k) {
  const auto found = match(k.node());
  if (!found) {
    fail(ErrorKind::usage,
         "LIBSVM has no kernel {}; it has linear(), (gamma*linear() + coef0)^degree and rbf with one ell",
         shown(k.str()));
  }
  return *found;
}

}  // namespace mercer::detail
