// A bare pointer has no number of rows and columns.
// expect: (no matching function for call to .*rows|cannot convert .*double|no known conversion)
#include "mercer/matrix.hpp"
#include "mercer/points.hpp"

mercer::Points f(const double* x) {
#ifdef CONTROL
  return mercer::rows(mercer::MatrixView(x, 3, 2));
#else
  return mercer::rows(x);
#endif
}
