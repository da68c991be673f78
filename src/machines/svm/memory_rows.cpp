#include "machines/svm/memory_rows.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "simd/float_rows.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

// Columns that one thread adds up at a time: their sums stay in the first-level cache.
constexpr Index kColumnsAtOnce = 1920;
constexpr Index kRowsAtOnce = 64;

// body(rows) for pieces of [0, n).
template <class Body>
void in_pieces(Index n, Index at_once, int threads, const Monitor& monitor, Body body) {
  parallel_for((n + at_once - 1) / at_once, threads, monitor, "rows", [&](Index p, int) {
    body(Range{p * at_once, std::min(n, (p + 1) * at_once)});
  });
}

// Chosen columns of rows. Neighbours are taken together where most have one (points that came by class, all points):
// a tenth of the time.
class Pick {
 public:
  explicit Pick(std::span<const std::int32_t> which) : which_(which) {
    constexpr std::size_t kWorthIt = 8;  // columns of a run
    for (std::size_t k = 0; k < which.size() && kWorthIt * runs_.size() <= which.size(); ++k) {
      if (k > 0 && which[k] == which[k - 1] + 1) {
        ++runs_.back().length;
      } else {
        runs_.push_back({which[k], 1});
      }
    }
    if (kWorthIt * runs_.size() > which.size()) runs_.clear();
  }

  template <class From, class To>
  void operator()(const From* from, To* to) const {
    for (const Run& run : runs_) {
      for (std::int32_t k = 0; k < run.length; ++k) to[k] = static_cast<To>(from[run.first + k]);
      to += run.length;
    }
    if (!runs_.empty()) return;
    for (std::size_t k = 0; k < which_.size(); ++k) to[k] = static_cast<To>(from[which_[k]]);
  }

 private:
  struct Run {
    std::int32_t first, length;
  };
  std::span<const std::int32_t> which_;
  std::vector<Run> runs_;
};

}  // namespace

MemoryRows::MemoryRows(MatrixView K, std::span<const Index> order)
    : K_(K), order_(order.begin(), order.end()), stride_(padded_to_panels(K.cols())) {}

void MemoryRows::copy(const Execution& how) {
  single_ = FloatArray(K_.rows() * stride_);
  const Pick pick(order_);
  in_pieces(K_.rows(), kRowsAtOnce, thread_count(how.threads), how.monitor, [&](Range rows) {
    for (Index i = rows.begin; i < rows.end; ++i) pick(K_.row(order_[at(i)]), single_.data() + i * stride_);
  });
  copied_ = true;
}

void MemoryRows::tile(std::span<const Index> positions, float* out, Index stride, int threads) const {
  std::vector<std::int32_t> columns(positions.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    columns[k] = static_cast<std::int32_t>(copied_ ? positions[k] : order_[at(positions[k])]);
  }
  const Pick pick(columns);
  in_pieces(static_cast<Index>(positions.size()), kRowsAtOnce, threads, {}, [&](Range rows) {
    for (Index a = rows.begin; a < rows.end; ++a) {
      const Index position = positions[at(a)];
      if (copied_) {
        pick(row(position), out + a * stride);
      } else {
        pick(K_.row(order_[at(position)]), out + a * stride);
      }
    }
  });
}

void MemoryRows::tile(std::span<const Index> positions, double* out, Index stride, int threads) const {
  std::vector<std::int32_t> columns(positions.size());
  for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = order_[at(positions[k])];
  const Pick pick(columns);
  in_pieces(static_cast<Index>(positions.size()), kRowsAtOnce, threads, {}, [&](Range rows) {
    for (Index a = rows.begin; a < rows.end; ++a) pick(K_.row(columns[at(a)]), out + a * stride);
  });
}

void MemoryRows::add(std::span<const Index> positions, VectorView weights, Range columns, double* f,
                     int threads) const {
  in_pieces(columns.size(), kColumnsAtOnce, threads, {}, [&](Range j) {
    std::vector<const float*> rows(positions.size());
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = row(positions[k]) + columns.begin + j.begin;
    simd::add_float_rows(rows.data(), weights.data(), rows.size(), at(j.size()), f + j.begin);
  });
}

void MemoryRows::add_exact(std::span<const Index> positions, VectorView weights, std::span<const Index> columns,
                           VectorRef f, int threads) const {
  // Where most columns are wanted, sums in the order of K, whose rows are then read from end to end.
  const auto wanted = static_cast<Index>(columns.size());
  const bool most = 2 * wanted > K_.cols();
  const Index n = most ? K_.cols() : wanted;
  Vector sums(at(n));
  in_pieces(n, kColumnsAtOnce, threads, {}, [&](Range j) {
    for (std::size_t k = 0; k < positions.size(); ++k) {
      const double* const row = K_.row(order_[at(positions[k])]);
      if (most) {
        simd::add_scaled(weights[k], row + j.begin, at(j.size()), sums.data() + j.begin);
      } else {
        for (Index i = j.begin; i < j.end; ++i) sums[at(i)] += weights[k] * row[columns[at(i)]];
      }
    }
  });
  for (Index i = 0; i < wanted; ++i) f[at(i)] += sums[at(most ? columns[at(i)] : i)];
}

}  // namespace mercer::detail
