// All of K in a caller's buffer, for direct solvers that factor it in place.
#pragma once

#include "mercer/evaluate.hpp"
#include "mercer/gram.hpp"

namespace mercer::detail {

// Whether K is K(X, X) of its own kernel and points, and not centred or shifted: judged by the diagonal. A ridge shows
// in every k(x, x); centring lowers their sum by n |mean of phi(x)|^2, so it shows in one of them unless it changes
// nothing.
bool is_plain(const Gram& K);
// Throws UsageError when K has a kernel that is not the whole story: k(x_i, x) would then predict something else.
void require_plain(const Gram& K);

// out = K, both triangles, symmetric to the last bit where K is. A plain lazy K is assembled straight into `out`.
void assemble(const Gram& K, MatrixRef out, const Execution& how);
// out = K[which, which].
void assemble(const Gram& K, std::span<const Index> which, MatrixRef out, const Execution& how);

}  // namespace mercer::detail
