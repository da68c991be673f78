// There is no empty kernel: nothing proves it.
// expect: (no matching (function for call to|constructor for initialization of) .*Kernel|deleted.*Kernel|private.*Kernel|Kernel.*private)
#include "mercer/kernels.hpp"

mercer::Kernel f() {
#ifdef CONTROL
  mercer::Kernel k = mercer::linear();
#else
  mercer::Kernel k;
#endif
  return k;
}
