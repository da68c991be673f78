// A difference of kernels need not be one.
// expect: deleted.*operator ?'?-
#include "mercer/kernels.hpp"

mercer::Kernel f(const mercer::Kernel& a, const mercer::Kernel& b) {
#ifdef CONTROL
  return a + b;
#else
  return a - b;
#endif
}
