// own_kernel: a kernel from a feature map of your own, its proof, and what happens to a function that is no kernel.
#include <cmath>
#include <cstdio>
#include <mercer/mercer.hpp>

int main() try {
  using namespace mercer;

  // Whatever phi is, phi(x)'phi(y) is a kernel, and every proof that uses it says where it came from.
  const Kernel fourier = features({"fourier", [](VectorView x) {
                                     return Vector{1, std::cos(x[0]), std::sin(x[0]), std::cos(2 * x[0])};
                                   }});
  const Kernel k = fourier + 0.5 * rbf(2);
  std::printf("%s\n%s\n", k.str().c_str(), k.proof().str().c_str());

  // Any machine takes it.
  const Points x = rows(Matrix{{0.0}, {1.0}, {2.0}, {3.0}, {4.0}, {5.0}});
  const Vector y{1, 0.54, -0.42, -0.99, -0.65, 0.28};  // cos(x)
  const Model ridge = KernelRidge{.ridge = 1e-6}.fit(lazy(k, x), y);
  std::printf("f(2.5) = %.2f, cos(2.5) = %.2f\n", ridge.predict(rows(Matrix{{2.5}}))[0], std::cos(2.5));

  // A formula is a Similarity until somebody proves it. check() looks for a proof and for a counterexample.
  std::printf("%s\n", check(Formula::parse("exp(-abs(x-y)^3)")).str().c_str());
  return 0;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "own_kernel: %s\n", error.what());
  return 1;
}
