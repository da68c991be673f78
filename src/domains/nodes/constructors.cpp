// The kernels of this folder as C++ functions.
#include "kernel/build.hpp"
#include "mercer/kernels.hpp"

namespace mercer {

using namespace detail;

namespace {

std::string word(Laplacian laplacian) { return laplacian == Laplacian::plain ? "plain" : "normalized"; }

}  // namespace

Kernel walks(int length) { return axiom("walks", {}, {static_cast<double>(length)}); }
Kernel diffusion(double t, Laplacian laplacian) {
  return axiom("diffusion", {param("diffusion", "t", t)}, {word(laplacian)});
}
Kernel regularized_laplacian(double sigma, Laplacian laplacian) {
  return axiom("regularized_laplacian", {param("regularized_laplacian", "sigma", sigma)}, {word(laplacian)});
}
Kernel p_step(int p, double a) { return axiom("p_step", {}, {static_cast<double>(p), a}); }

}  // namespace mercer
