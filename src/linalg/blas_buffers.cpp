#include "linalg/blas_buffers.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>

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

// OpenBLAS knows CPUs by their numbers, and takes one that came out after it for the oldest of its kind: release 0.3.21
// multiplies with SSE3 where there is AVX-512, several times slower, and says nothing. So it is told what the CPU
// can do, before the first call, unless OPENBLAS_CORETYPE says it.
#if defined(__x86_64__)
namespace {

bool uses_avx2(std::string_view core) {
  for (const std::string_view one : {"Haswell", "Zen", "Excavator", "SkylakeX", "Cooperlake", "SapphireRapids"}) {
    if (core == one) return true;
  }
  return false;
}

const char* core_of_this_cpu() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    return "SkylakeX";
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : nullptr;
}

}  // namespace

extern "C" {
char* gotoblas_corename();
void gotoblas_dynamic_quit();
void __real_gotoblas_dynamic_init();

void __wrap_gotoblas_dynamic_init() {
  constexpr const char* kAsked = "OPENBLAS_CORETYPE";
  __real_gotoblas_dynamic_init();
  const char* const core = core_of_this_cpu();
  if (std::getenv(kAsked) != nullptr || core == nullptr || uses_avx2(gotoblas_corename())) return;
  gotoblas_dynamic_quit();
  ::setenv(kAsked, core, 1);
  __real_gotoblas_dynamic_init();
  ::unsetenv(kAsked);  // which is not for programs that this one starts
}
}
#endif
