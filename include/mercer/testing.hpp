// mercer/testing.hpp: the laws every kernel and every Gram obeys, as functions.
//
// They return the laws that are broken, in words; a sound object gives an empty list. For a kernel or
// a Gram of your own:
//     EXPECT_EQ(mercer::testing::broken_laws(k, sample), std::vector<std::string>{});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/gram.hpp"
#include "mercer/kernel.hpp"

namespace mercer::testing {

struct LawOptions {
  double tolerance = 1e-9;           // relative to the largest entry of K
  double gradient_tolerance = 2e-5;  // relative, against central differences
  // Also d/dx, for real inputs. Leave it out where the kernel has a kink at one of the points.
  bool input_gradient = true;
  std::uint64_t seed = 1;
};

// On the points x: K is symmetric to the last bit; no eigenvalue is below -tolerance; diagonal() is the
// diagonal of K; K(X) = K(X, X'), X' a copy of X; tile size, order of the points and storage (dense,
// float-free copies, sparse) do not matter; the number of threads changes no bit; text and parameters
// round-trip; gradients for every parameter, and for the inputs, agree with central differences.
std::vector<std::string> broken_laws(const Kernel& k, const Points& x, const LawOptions& options = {});

// a+b = b+a, (a+b)c = ac + bc, 2a = a+a, a^2 = aa, exp(a+b) = exp(a) exp(b), normalize has a unit
// diagonal, a proof mentions its premises.
std::vector<std::string> broken_algebra_laws(const Kernel& a, const Kernel& b, const Kernel& c, const Points& x,
                                             const LawOptions& options = {});

// size, diagonal, rows, multiply and, where offered, dense and cross tell of one and the same matrix.
std::vector<std::string> broken_gram_laws(const Gram& k, const LawOptions& options = {});

}  // namespace mercer::testing
