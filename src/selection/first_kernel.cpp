#include "selection/first_kernel.hpp"

#include "state_space/line.hpp"

namespace mercer::detail {

bool is_long_line(const Points& x) { return x.size() > kManyPoints && state_space::on_a_line(x); }

std::string first_kernel(const Machine& machine, const Points& x) {
  return machine.by_evidence && is_long_line(x) ? "matern(nu=1.5, ell=auto)" : machine.kernel;
}

}  // namespace mercer::detail
