// What the nearest points count: the rule behind knn, for points in order of their distance.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "gram/nearest.hpp"
#include "mercer/model.hpp"

namespace mercer::detail {

struct Vote {
  Index which;
  double share;  // of all; shares add up to 1
  Index group;   // points that are equally far are one, the nearest 0
};

// Points that are not asked: those equal to one of them.
struct LeftOut {
  std::span<const Index> equal_to = {};  // of each point the first that is equal to it
  Index point = -1;                      // none

  bool holds(Index i) const {
    return point >= 0 && equal_to[static_cast<std::size_t>(i)] == equal_to[static_cast<std::size_t>(point)];
  }
};

class Voting {
 public:
  // Weights of the points, as multiplicities. By distance, `squared` makes d^2 of what Near::far says, where it is.
  Voting(VectorView weights, Index neighbours, bool by_distance);

  // Points that are needed at most, whichever are the nearest.
  Index most() const { return most_; }

  // How far apart two values of Near::far may be that differ by rounding: of that size, and in all.
  struct Slack {
    double relative = 1e-12, absolute = 0;
  };
  using Squared = std::function<void(double* far, Index count)>;
  // In order of distance, of those that count for something. None where points that are as far as the last ones may be
  // missing, unless all are there.
  std::optional<std::vector<Vote>> votes(std::span<const Near> nearest, bool all, const Slack& slack,
                                         const Squared& squared, const LeftOut& left_out = {}) const;

 private:
  VectorView weights_;
  double count_;
  bool by_distance_;
  Index most_;
};

// found(i, votes) for each row of a program of distances, from several threads. `equal_to`, where there is any: rows
// and columns are the same points, of each the first that is equal to it, and none is asked about those equal to
// itself.
void for_each_vote(const Bound& distances, const Voting& voting, std::span<const Index> equal_to, const Execution& how,
                   const std::function<void(Index i, std::span<const Vote> votes)>& found);
// Of one point x: from k(x, x_i), k(x_i, x_i) and, by distance, k(x, x).
std::vector<Vote> votes_from_numbers(const Voting& voting, VectorView k, VectorView own, double self,
                                     const LeftOut& left_out = {});

// The share of each class, where alpha has one column each. Of equal ones that of the nearest point, then the first, is
// ahead by one unit in the last place, so that the largest is the class.
void class_shares(const Matrix& alpha, std::span<const Vote> votes, double* out);
// The mean of the targets, where alpha has w_i times each, and w_i last.
void mean_targets(const Matrix& alpha, std::span<const Vote> votes, double* out);

}  // namespace mercer::detail
