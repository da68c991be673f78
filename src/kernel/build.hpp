// Making kernels from checked pieces; used by the C++ functions and by the parser alike.
#pragma once

#include "kernel/catalog.hpp"

namespace mercer::detail {

Param plain(const Arg& arg, double value);                                  // free, with the argument's natural range
Param param(std::string_view kernel, std::string_view name, double value);  // the same by the names of both
bool is_plain(const Param& p, const Arg& arg);

Kernel axiom(std::string_view name, std::vector<Param> params = {}, std::vector<Option> options = {});
Kernel rule(std::string_view name, const Kernel& k, std::vector<Param> params = {}, std::vector<Option> options = {});

// Sums and products are flat; a product carries its numbers in front: (2 k1) k2 is 2 (k1 k2).
Kernel sum(const Kernel& a, const Kernel& b);
Kernel product(const Kernel& a, const Kernel& b);
Kernel scale(const Param& c, const Kernel& k);
Param scale_param(double c);

}  // namespace mercer::detail
