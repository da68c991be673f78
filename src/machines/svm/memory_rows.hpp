// Rows of a K that is in memory: read instead of computed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gram/packed/float_array.hpp"
#include "mercer/evaluate.hpp"

namespace mercer::detail {

class MemoryRows {
 public:
  // `order`: the number in K of each position. K must outlive this.
  MemoryRows(MatrixView K, std::span<const Index> order);

  // Copies all of K in single precision, in the order of positions: worth its time for many problems on one K.
  void copy(const Execution& how);
  bool copied() const { return copied_; }
  std::size_t bytes_of_copy() const { return static_cast<std::size_t>(K_.rows() * stride_) * sizeof(float); }

  // out(a, b) = K(a, b) for the positions given.
  void tile(std::span<const Index> positions, float* out, Index stride, int threads) const;
  void tile(std::span<const Index> positions, double* out, Index stride, int threads) const;
  // f += sum_k weights[k] K(positions[k], columns), from the copy.
  void add(std::span<const Index> positions, VectorView weights, Range columns, double* f, int threads) const;
  // The same from K itself; here columns are numbers in K.
  void add_exact(std::span<const Index> positions, VectorView weights, std::span<const Index> columns, VectorRef f,
                 int threads) const;

  const float* row(Index position) const { return single_.data() + position * stride_; }  // of the copy
  Index stride() const { return stride_; }

 private:
  MatrixView K_;
  std::vector<std::int32_t> order_;
  Index stride_;  // of the copy
  FloatArray single_;
  bool copied_ = false;
};

}  // namespace mercer::detail
