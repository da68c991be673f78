#include <cstdio>
#include <mercer/mercer.hpp>

int main() {
  mercer::Kernel k = mercer::parse("2*rbf(ell=0.5) + linear()");
  mercer::Matrix K = mercer::gram(k, mercer::rows(mercer::Matrix{{0.0}, {1.0}}));
  std::printf("%s\nK(0, 0) = %g\n", k.str().c_str(), K(0, 0));
  return K(0, 0) == 2.0 && k.str() == "2*rbf(ell=0.5) + linear()" ? 0 : 1;
}
