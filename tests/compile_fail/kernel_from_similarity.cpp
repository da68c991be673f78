// What is not proved becomes a kernel by name only.
// expect: (no matching function for call to .*Kernel\(.*Similarity|no matching con.*Kernel|deleted.*Kernel)
#include "mercer/kernels.hpp"
#include "mercer/similarity.hpp"

mercer::Kernel f(const mercer::Similarity& s) {
#ifdef CONTROL
  return assume_psd(s, "a test of the compiler");
#else
  return mercer::Kernel(s);
#endif
}
