// mercer/gram.hpp: the symmetric positive semi-definite matrix K(X, X) as solvers see it.
//
//     Gram K = exact(k, x);                    // n^2 doubles in memory
//     Gram K = cached(lazy(k, x), 1 << 30);    // rows computed when asked for, a gigabyte of them kept
//     K.multiply(v)   K.rows(i)   K.diagonal() // conjugate gradients multiply, SMO asks for rows
//
// A Gram is an immutable value; copying it copies a pointer, and all calls are thread-safe.
// Anything that answers GramSource's verbs is one: wrap it in Gram(std::make_shared<const MySource>(...)).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mercer/evaluate.hpp"
#include "mercer/kernel.hpp"

namespace mercer {

class GramSource {
 public:
  virtual ~GramSource() = default;
  virtual Index size() const = 0;
  virtual void diagonal(VectorRef out) const = 0;
  virtual void rows(std::span<const Index> which, MatrixRef out) const = 0;  // out = K[which, :]
  virtual void multiply(MatrixView v, MatrixRef out) const = 0;              // out = K v

  // What only some can do; the defaults say no.
  virtual MatrixView dense() const { return {}; }                          // all of K, where it is in memory
  virtual void cross(const Points& x, MatrixView v, MatrixRef out) const;  // out = K(x, X) v; throws UsageError
  virtual std::optional<Kernel> kernel() const { return std::nullopt; }    // resolved: no `auto` left
  virtual std::optional<Points> points() const { return std::nullopt; }
};

class Gram {
 public:
  explicit Gram(std::shared_ptr<const GramSource> source) : source_(std::move(source)) {}

  Index size() const { return source_->size(); }
  Vector diagonal() const;
  Matrix rows(std::span<const Index> which) const;
  void rows(std::span<const Index> which, MatrixRef out) const;
  Matrix multiply(MatrixView v) const;
  Vector multiply(VectorView v) const;
  MatrixView dense() const { return source_->dense(); }
  Matrix cross(const Points& x, MatrixView v) const;
  std::optional<Kernel> kernel() const { return source_->kernel(); }
  std::optional<Points> points() const { return source_->points(); }
  const GramSource& source() const { return *source_; }
  const std::shared_ptr<const GramSource>& share() const { return source_; }

 private:
  std::shared_ptr<const GramSource> source_;
};

// All of K computed once and kept: n^2 doubles.
Gram exact(const Kernel& k, const Points& x, const Execution& how = {});
// Nothing kept: tiles are computed when asked for. multiply() visits each pair of points once.
Gram lazy(const Kernel& k, const Points& x, const Execution& how = {});
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
Gram centred(const Gram& k);
// K + ridge I, ridge >= 0.
Gram shifted(const Gram& k, double ridge);

}  // namespace mercer
