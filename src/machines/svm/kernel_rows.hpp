// The rows of K that one problem sees, from a store that it shares with others.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "machines/svm/feature_rows.hpp"
#include "machines/svm/row_store.hpp"

namespace mercer::detail {

// The points of some segments, side by side; positions count from 0 in this order. Which thread calls is no matter, but
// one Rows serves one thread at a time.
class Rows {
 public:
  explicit Rows(std::shared_ptr<RowStore> store);  // all of them
  Rows(std::shared_ptr<RowStore> store, const std::vector<Index>& segments);

  Index size() const { return static_cast<Index>(points_.size()); }
  // Which training points: numbers in the Gram, in the order of these rows.
  const std::vector<Index>& points() const { return points_; }
  RowStore& store() const { return *store_; }

  // All of K in single precision, row-major in the order of these rows, where the store holds it so; else null.
  struct Whole {
    const float* K = nullptr;
    Index stride = 0;
  };
  Whole whole() const;

  // Where K has few: of all points of the store, and where in it these are.
  const FeatureRows* features() const;
  std::vector<Index> positions() const;

  Vector diagonal() const;
  // out(a, b) = K(which[a], which[b]), row-major with this stride, a multiple of 48 and no less than the next one.
  void tile(std::span<const Index> which, float* out, Index stride, int threads) const;
  void tile(std::span<const Index> which, double* out, Index stride, int threads) const;
  // f += sum_k weights[k] K(which[k], :) from single precision rows, added up in double in the order given. `keep` them
  // for the next time, unless they are not expected to be wanted again.
  void add(std::span<const Index> which, VectorView weights, VectorRef f, int threads, bool keep = true) const;
  // The same from double precision rows, which are not kept. Where that is as cheap as single precision, it is said so.
  bool cheap_in_double() const;
  void add_exact(std::span<const Index> which, VectorView weights, VectorRef f, int threads) const;

  // Whether it is known how far rows in single precision are from double precision: then add() with an `error`, to
  // which is added by how much f may be off at each position; infinite where bounds say nothing.
  bool knows_error() const;
  void add_closely(std::span<const Index> which, VectorView weights, VectorRef f, VectorRef error, int threads) const;
  // f at these positions, in double precision.
  Vector exact_at(std::span<const Index> positions, std::span<const Index> which, VectorView weights,
                  int threads) const;

 private:
  struct Stretch {
    Index segment;
    Range here;   // positions in these rows
    Index there;  // position in the store of the first
  };
  const Stretch& stretch_of(Index position) const;
  std::vector<Index> in_store(std::span<const Index> which) const;
  Points points_at(std::span<const Index> positions) const;
  // Where K is a kernel's: sum_k weights[k] K(which[k], .) at these positions, in double precision.
  Vector products(std::span<const Index> positions, std::span<const Index> which, VectorView weights,
                  int threads) const;
  // Several sums of the same rows, a row of weights and one of sums each.
  struct Sums {
    MatrixView weights;
    MatrixRef sums;
  };
  void add_stretch(const Stretch& columns, std::span<const Index> which, const Sums& to, int threads, bool keep) const;
  void add_streamed(std::span<const Index> which, const Sums& to, int threads) const;
  void add_all(std::span<const Index> which, const Sums& to, int threads, bool keep) const;
  // Where K has few of them; false: it has not.
  bool add_by_features(std::span<const Index> which, VectorView weights, VectorRef f, int threads) const;
  void for_each_piece(const Stretch& stretch, double cost, int threads, const std::function<void(Range)>& body) const;
  void add_whole_numbers(std::span<const Index> which, VectorView weights, VectorRef f, int threads) const;

  std::shared_ptr<RowStore> store_;
  std::vector<Stretch> stretches_;
  std::vector<Index> points_;
};

}  // namespace mercer::detail
