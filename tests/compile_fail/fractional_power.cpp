// A fractional power of a kernel need not be one.
// expect: deleted function.*pow
#include "mercer/kernels.hpp"

mercer::Kernel f(const mercer::Kernel& k) {
#ifdef CONTROL
  return pow(k, 2);
#else
  return pow(k, 0.5);
#endif
}
