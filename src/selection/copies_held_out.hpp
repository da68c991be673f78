// What copies that mean the same (mercer/invariance.hpp) do to points held out.
#pragma once

#include "mercer/choose.hpp"

namespace mercer::detail {

// By fits to three quarters of a sample, without copies and with them, and the usual criterion of the task on the rest.
struct CopiesHeldOut {
  std::string criterion;
  double without = 0, with = 0;
  Index fitted = 0, held_out = 0;  // points
};
// None where the task has nothing to be judged by, where there are too few points, and where the monitor says stop.
std::optional<CopiesHeldOut> copies_held_out(const Machine& machine, const Choice& choice, const Training& training);

}  // namespace mercer::detail
