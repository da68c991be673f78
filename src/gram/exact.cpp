// Grams whose numbers are in memory: computed by us, or given.
#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "base/memory.hpp"
#include "gram/viewed.hpp"
#include "linalg/lapack.hpp"
#include "mercer/gram.hpp"
#include "mercer/require_gram.hpp"

namespace mercer {

namespace {

class InPlace : public GramSource {
 public:
  InPlace(MatrixView k, std::shared_ptr<const void> owner) : k_(k), owner_(std::move(owner)) {}
  Index size() const override { return k_.rows(); }
  void diagonal(VectorRef out) const override {
    for (Index i = 0; i < size(); ++i) out[static_cast<std::size_t>(i)] = k_(i, i);
  }
  void rows(std::span<const Index> which, MatrixRef out, const Execution&) const override {
    for (std::size_t r = 0; r < which.size(); ++r)
      std::copy_n(k_.row(which[r]), size(), out.row(static_cast<Index>(r)));
  }
  void multiply(MatrixView v, MatrixRef out, const Execution&) const override { linalg::multiply(1, k_, v, 0, out); }
  MatrixView dense() const override { return k_; }

 private:
  MatrixView k_;
  std::shared_ptr<const void> owner_;
};

class Exact final : public InPlace {
 public:
  Exact(const std::shared_ptr<const Matrix>& numbers, Kernel k, Points x)
      : InPlace(*numbers, numbers), kernel_(std::move(k)), points_(std::move(x)) {}
  GramKind kind() const override { return GramKind::kernel; }
  std::optional<Kernel> kernel() const override { return kernel_; }
  std::optional<Points> points() const override { return points_; }

 private:
  Kernel kernel_;
  Points points_;
};

}  // namespace

Gram exact(const Kernel& k, const Points& x, const Execution& how) {
  constexpr double kNotWorthAsking = 1 << 26;
  const double n = static_cast<double>(x.size()), needed = n * n * sizeof(double);
  if (const double free = needed > kNotWorthAsking ? available_memory() : needed; needed > free) {
    fail(ErrorKind::usage, "exact: {} points need {:.1f} GB of memory and {:.1f} GB are free; use lazy()", x.size(),
         1e-9 * needed, 1e-9 * free);
  }
  const Kernel resolved = k.resolve(x);
  auto numbers = std::make_shared<const Matrix>(gram(resolved, x, how));
  return Gram(std::make_shared<const Exact>(numbers, resolved, x));
}

void require_gram(MatrixView k, double tolerance) {
  if (k.rows() != k.cols())
    fail(ErrorKind::shape, "precomputed: K is {} x {}; a Gram matrix is square", k.rows(), k.cols());
  double largest = 0;
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.cols(); ++j) {
      if (!std::isfinite(k(i, j))) fail(ErrorKind::data, "precomputed: row {}, column {} is {}", i + 1, j + 1, k(i, j));
      largest = std::max(largest, std::abs(k(i, j)));
    }
  }
  constexpr Index kBlock = 32;  // both triangles by blocks that stay in cache
  for (Index i0 = 0; i0 < k.rows(); i0 += kBlock) {
    for (Index j0 = 0; j0 <= i0; j0 += kBlock) {
      for (Index i = i0; i < std::min(k.rows(), i0 + kBlock); ++i) {
        for (Index j = j0; j < std::min(i, j0 + kBlock); ++j) {
          if (std::abs(k(i, j) - k(j, i)) <= tolerance * largest) continue;
          fail(ErrorKind::data,
               "precomputed: not symmetric: K({0}, {1}) = {2}, K({1}, {0}) = {3}; use (K + K')/2 if that is meant",
               i + 1, j + 1, k(i, j), k(j, i));
        }
      }
    }
  }
}

Gram detail::viewed(MatrixView K) { return Gram(std::make_shared<const InPlace>(K, nullptr)); }

Gram precomputed_in_place(MatrixView k, std::shared_ptr<const void> owner, double tolerance) {
  require_gram(k, tolerance);
  return Gram(std::make_shared<const InPlace>(k, std::move(owner)));
}

Gram precomputed(Matrix k) {
  const auto numbers = std::make_shared<const Matrix>(std::move(k));
  return precomputed_in_place(*numbers, numbers);
}

}  // namespace mercer
