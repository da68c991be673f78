// mercer/kernel.hpp: the kernel language.
//
// A `Kernel` is a theorem: "this function is symmetric and positive semi-definite on domain()".
// It can only be made by an axiom (the leaves of kernels.hpp, each with its side conditions and its
// citation) or by a closure rule below, so whoever holds a Kernel holds its proof:
//
//     Kernel k = 2.0 * rbf(0.5) + matern(1.5) * linear();
//     std::puts(k.proof().str().c_str());
//     Kernel same = parse("2*rbf(ell=0.5) + matern(nu=1.5, ell=1)*linear()");
//
// Kernels are immutable values and thread-safe; copying one copies a pointer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/params.hpp"
#include "mercer/points.hpp"
#include "mercer/proof.hpp"

namespace mercer {

namespace detail {
struct Node;
struct TrustedCore;
}  // namespace detail

// A discrete choice inside a kernel, by the same kind of path as its parameters: wl.h = 3, random_walk.kind = steps.
struct KernelOption {
  std::string path, value;  // the value as the grammar writes it
  friend bool operator==(const KernelOption&, const KernelOption&) = default;
};

class Kernel {
 public:
  Domain domain() const;    // the inputs it is defined on
  std::string str() const;  // its text in the grammar: parse(k.str()) == k
  Proof proof() const;

  Params params() const;
  Kernel with(const Params& params) const;                 // the same expression at other values
  Kernel with(VectorView theta) const;                     // free parameters, unconstrained
  Kernel with(std::string_view path, double value) const;  // one parameter
  std::vector<KernelOption> options() const;               // whole numbers and words that learning leaves as they are
  Kernel with_option(std::string_view path, std::string_view value) const;
  // Every `auto` replaced by a number read off the data (the median heuristic). Without `auto`, itself.
  Kernel resolve(const Points& x) const;

  friend bool operator==(const Kernel& a, const Kernel& b);

  const detail::Node& node() const { return *node_; }
  const std::shared_ptr<const detail::Node>& share() const { return node_; }

 private:
  friend struct detail::TrustedCore;
  explicit Kernel(std::shared_ptr<const detail::Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const detail::Node> node_;
};

// Reads the grammar. Errors point at the column and say what was expected.
Kernel parse(std::string_view text);

// ---- closure rules ----

Kernel operator+(const Kernel& a, const Kernel& b);
Kernel operator*(const Kernel& a, const Kernel& b);  // entrywise (Schur) product
Kernel operator*(double c, const Kernel& k);         // c >= 0
Kernel operator+(double c, const Kernel& k);         // a constant kernel, c >= 0
Kernel operator*(const Kernel& k, double c);
Kernel operator+(const Kernel& k, double c);
Kernel pow(const Kernel& k, int degree);  // entrywise, degree >= 1
Kernel exp(const Kernel& k);
Kernel polynomial(const Vector& coefficients, const Kernel& k);  // sum_i a_i k^i, all a_i >= 0
Kernel normalize(const Kernel& k);                               // k(x,y) / sqrt(k(x,x) k(y,y))
Kernel on(const Columns& columns, const Kernel& k);              // k of some columns of the inputs

// Neither need be positive semi-definite, so neither compiles.
Kernel operator-(const Kernel& a, const Kernel& b) = delete;
Kernel operator-(const Kernel& k) = delete;
Kernel pow(const Kernel& k, double degree) = delete;

// A map x -> phi(x) between real vectors. `name` is what texts and proofs call it.
struct FeatureMap {
  std::string name;
  std::function<Vector(VectorView x)> apply;
  // Given x and g = dL/dphi, dL/dx; needed only for gradients with respect to the inputs.
  std::function<Vector(VectorView x, VectorView g)> pullback = nullptr;
};

// A weight f(x).
struct WeightFunction {
  std::string name;
  std::function<double(VectorView x)> apply;
  std::function<Vector(VectorView x)> gradient = nullptr;  // needed only for gradients with respect to the inputs
};

Kernel warp(const FeatureMap& phi, const Kernel& k);      // k(phi(x), phi(y))
Kernel warp(std::string_view map, const Kernel& k);       // a named element-wise map: "log", "sqrt", "tanh", ...
Kernel scaled(const WeightFunction& f, const Kernel& k);  // f(x) k(x,y) f(y)
Kernel scaled(std::string_view f, const Kernel& k);       // a named one: a map of one column, or "norm", "sum", "mean"

}  // namespace mercer
