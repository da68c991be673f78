#include "linalg/blas_buffers.hpp"

#include <sys/mman.h>

#include <atomic>
#include <mutex>

#include "base/fail.hpp"

namespace mercer::linalg::blas {

namespace {

// What OpenBLAS maps for a call on x86-64, and what others may take between our look and its own.
constexpr std::size_t kBuffer = std::size_t{128} << 20, kMargin = std::size_t{16} << 20;

std::mutex mutex;
std::atomic<int> calls = 0;    // now
std::atomic<int> granted = 0;  // buffers that OpenBLAS has or may take

bool room_for_one_more() {
  void* place = ::mmap(nullptr, kBuffer + kMargin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  ::munmap(place, kBuffer + kMargin);
  return true;
}

}  // namespace

Buffer::Buffer() {
  const int now = ++calls;
  if (now <= granted) return;
  const std::lock_guard lock(mutex);
  if (now <= granted) return;
  if (!room_for_one_more()) {
    --calls;
    fail(ErrorKind::numeric,
         "matrix products need {} MB of address space for each of their threads, and the system refuses it; use fewer "
         "threads (`threads`, MERCER_NUM_THREADS), or raise the limit (ulimit -v)",
         kBuffer >> 20);
  }
  granted = now;
}

Buffer::~Buffer() { --calls; }

}  // namespace mercer::linalg::blas

// Finding a free buffer is the one thing that calls of the serial OpenBLAS have in common. It does so under a lock that
// release 0.3.21 drops too soon: two threads then share a buffer, and products come out wrong. The linker puts these
// two in the place of its own (cmake/MercerDependencies.cmake).
namespace {
std::mutex buffers;
}

extern "C" {
void* __real_blas_memory_alloc(int kind);
void __real_blas_memory_free(void* buffer);

void* __wrap_blas_memory_alloc(int kind) {
  const std::lock_guard lock(buffers);
  return __real_blas_memory_alloc(kind);
}

void __wrap_blas_memory_free(void* buffer) {
  const std::lock_guard lock(buffers);
  __real_blas_memory_free(buffer);
}
}
