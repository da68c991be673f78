// mercer/gram.hpp: the symmetric positive semi-definite matrix K(X, X) as solvers see it.
//
//     Gram K = exact(k, x);                    // n^2 doubles in memory
//     Gram K = cached(lazy(k, x), 1 << 30);    // rows computed when asked for, a gigabyte of them kept
//     K.multiply(v)   K.rows(i)   K.diagonal() // conjugate gradients multiply, SMO asks for rows
//     K.expansion(alpha, b)                    // f(x) = sum_i alpha_i k(x_i, x) + b, as this matrix means it
//
// A Gram is an immutable value; copying it copies a pointer, and all calls are thread-safe. Verbs that compute take an
// Execution: how many threads, who watches and may stop them.
// Anything that answers GramSource's verbs is one: wrap it in Gram(std::make_shared<const MySource>(...)).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mercer/evaluate.hpp"
#include "mercer/expansion.hpp"
#include "mercer/kernel.hpp"

namespace mercer {

// What the numbers of a Gram are: said by who makes it, so that nobody has to guess.
enum class GramKind {
  kernel,         // K(X, X) of kernel() at points(): whoever computes it from these gets the same matrix
  approximation,  // near that matrix, and not it
  centred,        // H K H of something above
  shifted,        // K + ridge I of something above: no function of x has these values at the points and at others
  numbers,        // given: nothing is known of new inputs but what rows of k(x, X) say
};

class GramSource {
 public:
  virtual ~GramSource() = default;
  virtual Index size() const = 0;
  virtual void diagonal(VectorRef out) const = 0;
  virtual void rows(std::span<const Index> which, MatrixRef out, const Execution& how) const = 0;  // out = K[which, :]
  virtual void multiply(MatrixView v, MatrixRef out, const Execution& how) const = 0;              // out = K v

  // What only some can do; the defaults are those of numbers.
  virtual GramKind kind() const { return GramKind::numbers; }
  virtual MatrixView dense() const { return {}; }                // all of K, where it is in memory
  virtual void fill(MatrixRef out, const Execution& how) const;  // out = K, both triangles
  // sum_ij W_ij dK_ij / d(value) of every parameter of kernel(), fixed ones included.
  virtual Vector gradient(const WeightTile& weights, const Execution& how) const;
  virtual std::optional<Kernel> kernel() const { return std::nullopt; }  // resolved: no `auto` left
  virtual std::optional<Points> points() const { return std::nullopt; }
  virtual std::optional<Matrix> factor(Index most) const;  // F with K = F F' and at most so many columns
  // f with K alpha + bias as its values at the points, from parts that hold alpha, bias, support, training_size and
  // perhaps squared_norms. The default knows kernels and numbers; another kind says how it goes on to new inputs.
  virtual Expansion expansion(Expansion::Parts found, const Execution& how) const;
};

class Gram {
 public:
  explicit Gram(std::shared_ptr<const GramSource> source) : source_(std::move(source)) {}

  Index size() const { return source_->size(); }
  Vector diagonal() const;
  Matrix rows(std::span<const Index> which, const Execution& how = {}) const;
  void rows(std::span<const Index> which, MatrixRef out, const Execution& how = {}) const;
  Matrix multiply(MatrixView v, const Execution& how = {}) const;
  Vector multiply(VectorView v, const Execution& how = {}) const;
  GramKind kind() const { return source_->kind(); }
  MatrixView dense() const { return source_->dense(); }
  // F with K = F F', where K has one of at most so many columns: the features of the points. Made when asked for.
  std::optional<Matrix> factor(Index most) const { return source_->factor(most); }
  // out = K, both triangles, symmetric to the last bit where K is.
  void fill(MatrixRef out, const Execution& how = {}) const;
  // sum_ij W_ij dK_ij / d(value) of every parameter of kernel(). UsageError where K is not that of a kernel.
  Vector gradient(const WeightTile& weights, const Execution& how = {}) const {
    return source_->gradient(weights, how);
  }
  std::optional<Kernel> kernel() const { return source_->kernel(); }
  std::optional<Points> points() const { return source_->points(); }
  // From one row of alpha per point; points whose row is zero are left out. UsageError where K is shifted.
  Expansion expansion(const Matrix& alpha, Vector bias = {}, const Execution& how = {}) const;
  // From the rows of alpha that are not zero, found.support saying whose they are.
  Expansion expansion(Expansion::Parts found, const Execution& how = {}) const;
  const GramSource& source() const { return *source_; }
  const std::shared_ptr<const GramSource>& share() const { return source_; }

 private:
  std::shared_ptr<const GramSource> source_;
};

// All of K computed once and kept: n^2 doubles.
Gram exact(const Kernel& k, const Points& x, const Execution& how = {});
// No numbers of pairs are kept: tiles are computed when asked for. multiply() visits each pair of points once; of a
// kernel that is an inner product of few features (linear() + 1), it goes through these: 4 n r flops for r of them.
Gram lazy(const Kernel& k, const Points& x);
// Rows asked for are kept, up to `bytes` of them, the least recently used making room.
Gram cached(const Gram& k, std::size_t bytes);
struct CacheStatistics {
  std::size_t hits = 0, misses = 0, rows_kept = 0, capacity = 0;
};
// Of a Gram made by cached(); UsageError for any other.
CacheStatistics cache_statistics(const Gram& k);
// Numbers given by the user. Throws ShapeError unless square, DataError unless finite and symmetric.
Gram precomputed(Matrix k);
// K[which, which]: the same matrix on some of the points, in the order given. Where K is in memory, so is this.
Gram select(const Gram& k, std::vector<Index> which);
// H K H with H = I - 11'/n: the Gram matrix of features with their mean taken out.
Gram centred(const Gram& k, const Execution& how = {});
// K + ridge I, ridge >= 0.
Gram shifted(const Gram& k, double ridge);

}  // namespace mercer
