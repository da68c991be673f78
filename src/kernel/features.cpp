#include "kernel/features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/catalog.hpp"
#include "kernel/random_features.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

constexpr Index kNone = std::numeric_limits<Index>::max();

Index product(Index a, Index b) {
  if (a == 0 || b == 0) return 0;
  return a > kNone / b ? kNone : a * b;
}

Index power(Index base, double degree) {
  Index out = 1;
  for (int d = 0; d < static_cast<int>(degree); ++d) out = product(out, base);
  return out;
}

double constant_of(const Node& node) { return node.param("c").values.front(); }

Points chosen(const Node& on, const Points& x) { return x.columns(std::get<Columns>(on.option("columns"))); }

// kNone: no features, or too many to count.
Index number_of_features(const Node& node, const Points& x) {
  const std::string& name = node.entry->name;
  const auto of_child = [&](std::size_t c = 0) { return number_of_features(*node.children[c], x); };
  if (name == "const") return 1;
  if (name == "scale") return of_child();
  if (name == "on") return number_of_features(*node.children.front(), chosen(node, x));
  if (name == "power") return power(of_child(), node.number("degree"));
  if (name == "random_features") return x.domain().kind == "reals" ? static_cast<Index>(node.number("count")) : kNone;
  if (name == "linear" || name == "poly") {
    if (x.domain().kind != "reals") return kNone;
    const Index columns = x.domain().dimension;
    return name == "linear" ? columns : power(columns + (constant_of(node) > 0 ? 1 : 0), node.number("degree"));
  }
  if (name != "sum" && name != "product") return kNone;
  Index out = name == "sum" ? 0 : 1;
  for (std::size_t c = 0; c < node.children.size(); ++c) {
    const Index own = of_child(c);
    if (own == kNone) return kNone;
    out = name == "sum" ? out + own : product(out, own);
  }
  return out;
}

Matrix fill(const Node& node, const Points& x);

// Every feature of one times every feature of the other.
Matrix products(const Matrix& a, const Matrix& b) {
  Matrix out = Matrix::uninitialized(a.rows(), a.cols() * b.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    double* to = out.row(i);
    for (Index j = 0; j < a.cols(); ++j) {
      for (Index k = 0; k < b.cols(); ++k) *to++ = a(i, j) * b(i, k);
    }
  }
  return out;
}

Matrix beside(const Matrix& a, const Matrix& b) {
  Matrix out = Matrix::uninitialized(a.rows(), a.cols() + b.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    std::copy_n(b.row(i), b.cols(), std::copy_n(a.row(i), a.cols(), out.row(i)));
  }
  return out;
}

Matrix to_the(double degree, const Matrix& base) {
  Matrix out = base;
  for (int d = 1; d < static_cast<int>(degree); ++d) out = products(out, base);
  return out;
}

Matrix fill(const Node& node, const Points& x) {
  const std::string& name = node.entry->name;
  const auto constant = [&] { return Matrix(x.size(), 1, std::sqrt(constant_of(node))); };
  if (name == "const") return constant();
  if (name == "linear") return Matrix(dense_rows(x).values);
  if (name == "random_features") return random_features(node, x);
  if (name == "on") return fill(*node.children.front(), chosen(node, x));
  if (name == "power") return to_the(node.number("degree"), fill(*node.children.front(), x));
  if (name == "poly") {
    const Matrix own(dense_rows(x).values);
    return to_the(node.number("degree"), constant_of(node) > 0 ? beside(own, constant()) : own);
  }
  Matrix out = fill(*node.children.front(), x);
  if (name == "scale") {
    const double root = std::sqrt(node.param("scale").values.front());
    std::for_each_n(out.data(), out.rows() * out.cols(), [&](double& value) { value *= root; });
  }
  for (std::size_t c = 1; c < node.children.size(); ++c) {
    const Matrix next = fill(*node.children[c], x);
    out = name == "sum" ? beside(out, next) : products(out, next);
  }
  return out;
}

}  // namespace

std::optional<Matrix> features(const Kernel& k, const Points& x, Index most) {
  return number_of_features(k.node(), x) > most ? std::nullopt : std::optional(fill(k.node(), x));
}

Index feature_count(const Kernel& k, const Points& x) {
  const Index found = number_of_features(k.node(), x);
  return found == kNone ? 0 : found;
}

}  // namespace mercer::detail
