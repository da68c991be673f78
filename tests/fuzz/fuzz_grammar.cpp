// Any text is either refused with an Error or is a kernel whose text reads back as the same one, with a proof.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.hpp"
#include "mercer/error.hpp"
#include "mercer/kernel.hpp"

namespace mercer::fuzz_grammar {

namespace {

std::vector<std::string> seeds() {
  return {
      "2*rbf(ell=0.5) + periodic(period=1, ell=1.3)*rbf(ell=90) + 0.3*rq(ell=1.2, alpha=0.8)",
      "(1 + linear())^3",
      "exp(0.5*linear())",
      "normalize(poly(degree=3, c=1))",
      "on(x1:x5, rbf(ell=[1,2,1,1,4])) * on(text, spectrum(k=3))",
      "rbf(gamma=0.02) + rbf(sigma=fixed(2)) + rbf(gamma=[0.5, 2] in [0.1, 3])",
      "rbf(ell=auto)*laplace(ell=[auto])*exponential(ell=fixed(auto))",
      "matern(nu=1.5, ell=0.3 in [0.01, 10]) + matern(2.5, 1e-3 in [0, inf])",
      "fixed(2)*(3 in [1, 4])*0.5*min()*2 + const(c=2 in [1, 3])",
      "quadratic(A=[[2, 1], [1, 2]]) + multilinear()*cosine()^2",
      "arccos(order=0) + ntk(depth=2)",
      "polynomial([1, 0, 2], scaled(norm, warp(tanh, rbf())))",
      "on([1, \"my \\\"column\\\" \\\\\", a:b], linear()) + 1",
      "assume_psd(tanh(dot(x,y)) + x[1]*y[1], \"the reason\")",
      "((((((((1 + (linear()))))))))^2",
      "2^3*linear()^2 + .5e1*(2 + 3)*(1)^2",
      "features(phi)",
      "linear() - rbf()",
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  try {
    // A copy of exactly this size: a sanitizer sees every step behind its end.
    const std::vector<char> text(data, data + size);
    const Kernel k = parse(std::string_view(text.data(), text.size()));
    if (!(parse(k.str()) == k)) std::abort();
    if (k.proof().str().empty() || k.proof().json().empty()) std::abort();
    if (!(k.with(k.params()) == k)) std::abort();
    (void)k.params().theta();
    (void)k.domain().str();
  } catch (const Error&) {
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"grammar", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_grammar
