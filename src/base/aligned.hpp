// An array of doubles that starts on a cache line, left unset until written.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace mercer {

class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size)
      : data_(static_cast<double*>(::operator new(size * sizeof(double), kAlignment))) {}
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(double* p) const { ::operator delete(p, kAlignment); }
  };
  std::unique_ptr<double, Free> data_;
};

}  // namespace mercer
