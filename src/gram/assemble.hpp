// Some of K in a caller's buffer, for direct solvers that factor it in place, and what machines take for a K.
#pragma once

#include "mercer/evaluate.hpp"
#include "mercer/gram.hpp"

namespace mercer::detail {

// For machines that use the kernel and the points beside K, or new points: UsageError unless K is that of its kernel,
// or numbers.
void require_plain(const Gram& K);
// For machines that use K alone and take their f from it: UsageError where it has none.
void require_unshifted(const Gram& K);

// out = K[which, which], both triangles. That of a kernel is assembled straight into `out`.
void assemble(const Gram& K, std::span<const Index> which, MatrixRef out, const Execution& how);

}  // namespace mercer::detail
