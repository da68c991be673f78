// Rows of K for support vector machines: in single precision, computed when asked for, kept while memory lasts, and
// shared by all problems on the same points (pairs of classes, folds, values of C); in double precision where the
// solver certifies.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "machines/svm/tile_rooms.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/gram.hpp"
#include "mercer/plan.hpp"

namespace mercer::detail {

// A K that is in memory is read; what is not, is computed.
//
// All points of a training set, in segments (its classes) so that a problem on some of them meets whole stretches of a
// row. Thread-safe.
class RowStore {
 public:
  // What it takes, and a machine that solves problems of so many variables for each point by its rows.
  static Needs needs(const Extent& extent, Index variables);
  // Bytes that rows and tiles may take: where so many are allowed, what is left of them beside points and vectors.
  static std::size_t memory_for(const Extent& extent);
  static double bytes_of_vectors(const Extent& extent, Index variables);
  static double copies_of_points(const Extent& extent);

  struct Statistics {
    double rows_computed = 0;  // in whole rows: parts of rows are added up
    double rows_reused = 0;
  };
  // `segment` of each point, from 0; empty: one segment. `memory` that all of a fit may take, 0: half of what is free.
  RowStore(const Gram& K, std::span<const Index> segment, std::size_t memory, const Execution& how);
  ~RowStore();
  // Of one fit: of few points all of K at once, since the tile of a first round has all pairs, the certificate asks for
  // most of them again, and what else a kernel costs is the same for a hundred points as for one.
  static std::shared_ptr<RowStore> of_fit(const Gram& K, std::span<const Index> segment, std::size_t memory,
                                          const Execution& how);

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

}  // namespace mercer::detail
