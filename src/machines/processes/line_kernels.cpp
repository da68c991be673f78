#include "machines/processes/line_kernels.hpp"

#include <fmt/format.h>

#include "state_space/line.hpp"
#include "state_space/period.hpp"

namespace mercer::detail {

namespace {

constexpr Index kTriedOn = 20000;  // points: seconds for each kernel

std::optional<double> period_of(const Training& training) {
  Vector y;
  for (Index i = 0; i < training.y.rows(); ++i) y.push_back(training.y(i, 0));
  return state_space::period_of(state_space::times_of(*training.K.points()), y);
}

}  // namespace

Choosing kernels_along_a_line(const Training& training) {
  Choosing out{.figure = "log_marginal_likelihood",
               .larger_is_better = true,
               .kernels = {"matern(nu=0.5, ell=auto)", "matern(nu=2.5, ell=auto)"},
               .most = kTriedOn};
  if (const std::optional<double> period = period_of(training)) {
    for (const char* const nu : {"0.5", "1.5", "2.5"}) {
      out.kernels.push_back(fmt::format("matern(nu={}, ell=auto) + periodic(period={:.8g}, ell=1)", nu, *period));
    }
  }
  return out;
}

}  // namespace mercer::detail
