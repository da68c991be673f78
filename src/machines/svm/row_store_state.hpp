// What a RowStore holds, for its own sources and those of Rows.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gram/packed/packed_points.hpp"
#include "kernel/bound.hpp"
#include "machines/svm/feature_rows.hpp"
#include "machines/svm/memory_rows.hpp"
#include "machines/svm/row_cache.hpp"
#include "machines/svm/row_store.hpp"

namespace mercer::detail {

struct RowStore::State {
  explicit State(Gram K_) : K(std::move(K_)) {}

  Gram K;
  std::vector<Index> order;  // number in the Gram of each position
  std::vector<Range> segments;
  std::optional<MemoryRows> in_memory;
  std::unique_ptr<PackedPoints> fast;
  std::optional<Nearness> nearness;  // of `fast`, where it is not exact
  Vector sizes;                      // of the points then, in the order of positions
  bool keeps_rows = true;            // else they are cheaper to compute again
  std::optional<Points> points;      // in the order of the Gram, where K is a kernel's
  std::optional<Kernel> kernel;
  std::optional<Bound> bound;  // without a fast form
  std::optional<FeatureRows> features;
  Vector diagonal;
  std::optional<RowCache> cache;
  std::size_t memory = 0, row_bytes = 0;
  std::atomic<std::size_t> numbers_computed = 0, numbers_reused = 0;

  double small_work = 4e7;  // multiplications: for fewer threads are not worth waking. Tests make them worth it

  Index size() const { return static_cast<Index>(order.size()); }
  int workers_for(double work, int threads) const { return work < small_work ? 1 : threads; }

  // K(positions, columns) in double precision, parts of rows; `rows` is the bound kernel's selection where there is
  // one.
  void exact_rows(std::span<const Index> positions, Range columns, MatrixRef out, Scratch& scratch,
                  const Bound* rows) const;
};

}  // namespace mercer::detail
