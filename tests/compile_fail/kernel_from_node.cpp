// Only the rules of the algebra make kernels out of nodes; a pointer to a node, here the null one, is no proof.
// expect: (no matching (function for call to|constructor for initialization of) .*Kernel|deleted.*Kernel|private.*Kernel|Kernel.*private)
#include "mercer/kernels.hpp"

mercer::Kernel f() {
#ifdef CONTROL
  mercer::Kernel k(mercer::linear());
#else
  mercer::Kernel k(nullptr);
#endif
  return k;
}
