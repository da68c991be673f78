// Rows of K for support vector machines: in single precision, computed when asked for, kept while memory lasts, and
// shared by all problems on the same points (pairs of classes, folds, values of C); in double precision where the
// solver certifies.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machines/svm/tile_rooms.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/gram.hpp"

namespace mercer::detail {

// A K that is in memory is read; what is not, is computed.
//
// All points of a training set, in segments (its classes) so that a problem on some of them meets whole stretches of a
// row. Thread-safe.
class RowStore {
 public:
  struct Statistics {
    double rows_computed = 0;  // in whole rows: parts of rows are added up
    double rows_reused = 0;
  };
  // `segment` of each point, from 0; empty: one segment. `memory` in bytes, 0: half of what is free.
  RowStore(const Gram& K, std::span<const Index> segment, std::size_t memory, const Execution& how);
  ~RowStore();

  // For many problems: if K is in memory and there is room, all rows in single precision at once.
  void copy_all(const Execution& how);

  std::string plan() const;  // "rows in single precision, all 32,561 of them in 4.2 GB"
  Statistics statistics() const;
  std::size_t memory() const;  // bytes that rows and tiles may take

  TileRooms& tile_rooms() { return tile_rooms_; }

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
  TileRooms tile_rooms_;
};

// The points of some segments, side by side; positions count from 0 in this order. Which thread calls is no matter, but
// one Rows serves one thread at a time.
class Rows {
 public:
  explicit Rows(std::shared_ptr<RowStore> store);  // all of them
  Rows(std::shared_ptr<RowStore> store, std::vector<Index> segments);

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

  Vector diagonal() const;
  // out(a, b) = K(which[a], which[b]), row-major with this stride, a multiple of 48 and no less than the next one.
  void tile(std::span<const Index> which, float* out, Index stride, int threads) const;
  void tile(std::span<const Index> which, double* out, Index stride, int threads) const;
  // f += sum_k weights[k] K(which[k], :) from single precision rows, added up in double in the order given. `keep` them
  // for the next time, unless they are not expected to be wanted again.
  void add(std::span<const Index> which, VectorView weights, VectorRef f, int threads, bool keep = true) const;
  // The same from double precision rows, which are not kept.
  void add_exact(std::span<const Index> which, VectorView weights, VectorRef f, int threads) const;

 private:
  struct Stretch {
    Index segment;
    Range here;   // positions in these rows
    Index there;  // position in the store of the first
  };
  const Stretch& stretch_of(Index position) const;
  std::vector<Index> in_store(std::span<const Index> which) const;
  const Points& own_points() const;  // where K is a kernel's
  void add_stretch(const Stretch& columns, std::span<const Index> which, VectorView weights, VectorRef f, int threads,
                   bool keep) const;
  void add_whole_numbers(std::span<const Index> which, VectorView weights, VectorRef f, int threads) const;

  std::shared_ptr<RowStore> store_;
  std::vector<Stretch> stretches_;
  std::vector<Index> points_;
  mutable std::optional<Points> own_points_;
};

}  // namespace mercer::detail
