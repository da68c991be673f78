// The memory that OpenBLAS takes for itself.
#pragma once

namespace mercer::linalg::blas {

// Stands for one call of OpenBLAS while it lives. Each call that runs at the same time as others has a buffer, which
// OpenBLAS keeps; when the system refuses it one, it asks again for ever. So room for it is looked for here first:
// throws NumericError when there is none.
class Buffer {
 public:
  Buffer();
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
};

}  // namespace mercer::linalg::blas
