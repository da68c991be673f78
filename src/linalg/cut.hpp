// Cutting a range into pieces of work.
#pragma once

#include <algorithm>

#include "mercer/matrix.hpp"

namespace mercer::linalg {

// Flops below which waking other threads costs more than they would save.
constexpr double kWorthSharing = 4e6;

// [0, n) in pieces of one size but for the last. Sizes decide where the cuts are, never the number of threads: so that
// number does not show in what is computed.
class Cut {
 public:
  // About eight pieces, each of `least` to `most`, and in between a multiple of `least`.
  Cut(Index n, Index least, Index most) : n_(n), size_(std::clamp((n / 8 + least - 1) / least * least, least, most)) {}

  Index count() const { return (n_ + size_ - 1) / size_; }
  Range operator[](Index i) const { return {i * size_, std::min(n_, (i + 1) * size_)}; }

 private:
  Index n_, size_;
};

}  // namespace mercer::linalg
