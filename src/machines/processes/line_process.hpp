// The exact evidence of Gaussian process regression along lines: all that is asked of targets and mean function comes
// out of the innovations of one pass of the filters, and the derivatives out of one pass back.
#pragma once

#include "machines/processes/evidence.hpp"
#include "state_space/filters.hpp"
#include "state_space/line.hpp"

namespace mercer::detail {

class LineProcess final : public ProcessSystem {
 public:
  LineProcess(const ProcessData& data, Execution how);

  Value evaluate(const At& at, bool gradient) override;
  Solution solution_so_far(const At& at) const override;

 private:
  // Of the last evaluation.
  std::unique_ptr<state_space::Filters> filters_;
  std::shared_ptr<const state_space::Placed> places_;
  Matrix mix_;  // y - H b = [y, H] mix
  Vector q_;
};

}  // namespace mercer::detail
