// Regularised risk of one output: the solver behind every loss.
#pragma once

#include <string>

#include "machines/risk/losses.hpp"
#include "mercer/gram.hpp"
#include "mercer/monitor.hpp"

namespace mercer::detail {

struct RiskSolution {
  Vector alpha;
  double primal = 0, dual = 0;
  bool converged = false;
  std::string stopped;
  Index iterations = 0;
};

// minimise sum_i w_i l(y_i, f_i) + ridge alpha' K alpha with f = K alpha; K: as held() gives it. When the monitor
// cancels, returns the best alpha so far. The monitor hears of fractions between `from` and `to`: this is one of
// several outputs.
RiskSolution minimise_risk(const RegularisedRisk& config, const Gram& K, VectorView y, VectorView weights,
                           const Monitor& monitor, double from, double to);

}  // namespace mercer::detail
