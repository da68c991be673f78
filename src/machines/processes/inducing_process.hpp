// A Gaussian process by inducing points (inducing.hpp), which are chosen among those of the data for the kernel at
// hand.
#pragma once

#include "machines/processes/inducing.hpp"
#include "machines/processes/inducing_points.hpp"

namespace mercer::detail {

struct InducingWishes {
  Index count = 0;
  InducingBy by = InducingBy::bound;
  std::uint64_t seed = 1;
  std::optional<Points> points = {};  // these, and none are chosen
};

class InducingProcess final : public Approach {
 public:
  InducingProcess(const ProcessData& data, InducingWishes wishes, Execution how);

  // Points are chosen for the first kernel and stay, so that the objective is smooth; solve() chooses anew.
  Value evaluate(const At& at, bool gradient) override;
  Solution solve(const At& at) override;
  Solution solution_so_far(const At& at) const override;

 private:
  // Of one kernel.
  struct Place {
    Centres centres;
    Reduced A;
    Vector signal;
  };
  Points chosen_for(const Kernel& k) const;
  Place place(const At& at, const Points& z) const;
  Solution solution(const Place& place) const;
  void say(const Place& place, Solution& of) const;

  const ProcessData& data_;
  InducingWishes wishes_;
  Execution how_;
  std::shared_ptr<const centres::Pieces> pieces_;
  std::optional<InducingPoints> drawn_;  // none: they are given
  std::optional<Points> z_;
  std::optional<Place> last_;
};

}  // namespace mercer::detail
