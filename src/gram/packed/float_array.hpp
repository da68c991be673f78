// Aligned memory for floats, left unset until written.
#pragma once

#include "base/aligned.hpp"
#include "mercer/matrix.hpp"
#include "simd/float_rows.hpp"

namespace mercer::detail {

class FloatArray {
 public:
  FloatArray() = default;
  explicit FloatArray(Index size) : doubles_(static_cast<std::size_t>(size / 2 + 8)) {}
  float* data() { return reinterpret_cast<float*>(doubles_.data()); }
  const float* data() const { return reinterpret_cast<const float*>(doubles_.data()); }

 private:
  AlignedArray doubles_;
};

inline Index padded_to_panels(Index n) {
  return static_cast<Index>(simd::padded_to(static_cast<std::size_t>(n), simd::kFloatPanel));
}

}  // namespace mercer::detail
