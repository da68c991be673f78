// What the optimiser of a Gaussian process asks of a kernel's form.
#pragma once

#include <optional>
#include <vector>

#include "mercer/kernel.hpp"

namespace mercer::detail {

// Whether some free parameter, or several together, can multiply the whole kernel by any number: as the 2 of 2*rbf().
bool has_free_scale(const Kernel& k);
// The same with these parameters changed so that it is `factor` times as large; none where they may not be.
std::optional<Kernel> rescaled(const Kernel& k, double factor);
// The addends of k = k1 + k2 + ...; k itself when it is no sum.
std::vector<Kernel> addends(const Kernel& k);

}  // namespace mercer::detail
