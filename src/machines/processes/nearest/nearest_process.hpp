// The evidence of a Gaussian process from neighbours (Vecchia 1988): log p(y) ~ sum_i log p(y_i | y_c(i)), c(i) the K
// nearest of the points that come before i in an order of them. n K^3/3 flops, n K^2 values of the kernel and n K
// numbers instead of n^3/3 flops and n^2 numbers; exact with K >= n - 1.
//
// The order is random, with a fixed seed; of one column, along it. Neighbours are the nearest in the metric of the
// kernel, searched again when that has changed by more than twice, but not once derivatives have been asked for: who
// searches along them begins anew with another NearestProcess, and solve() searches anew by itself.
#pragma once

#include "gram/local_systems.hpp"
#include "machines/processes/nearest/places.hpp"

namespace mercer::detail {

class NearestProcess final : public Approach {
 public:
  NearestProcess(const ProcessData& data, Index neighbours, std::uint64_t seed, Execution how);
  // In this order of the places, for which the caller vouches.
  NearestProcess(const ProcessData& data, Index neighbours, std::vector<Index> order, Execution how);

  Value evaluate(const At& at, bool gradient) override;
  Solution solve(const At& at) override;
  // Without alpha and a posterior, for which neighbours have to be looked at once more.
  Solution solution_so_far(const At& at) const override;

  // d value / d A summed over the points, in the order given: for tests.
  Matrix summed_seed(const At& at);

 private:
  // What one pass finds of each place given its neighbours: the variance, and what is left of targets and functions.
  struct Conditionals {
    Vector variance;
    Matrix left;  // targets, then functions of the trend
  };
  struct Seed;  // of one group: what the gradient is made of
  using SeedBody = std::function<void(Index batch, const LocalGroup& group, const Seed& seed)>;

  Index targets() const { return places_.y.cols(); }
  Index points() const { return places_.size() + places_.merged; }
  void search_at(const Kernel& k, bool hold);
  // With `inverse`, of all places: that becomes A^-1 of targets and functions.
  std::optional<Conditionals> conditionals(const At& at, std::span<const Index> which, const NeighbourLists& lists,
                                           Matrix* inverse) const;
  void fit_trend();
  void shift_at(const At& at);
  Value evaluate(const At& at, bool gradient, Matrix* inverse);
  double quadratic(Index target, double noise) const;
  double likelihood(const At& at, Vector& signal) const;
  void for_each_seed(const At& at, const Vector& signal, const SeedBody& body) const;
  struct Adequate {
    Index neighbours;
    double change = 0;  // of log p(y_i | neighbours) by twice as many
  };
  Adequate adequate(const At& at, const Vector& signal) const;
  Matrix information_around_places() const;
  std::string said() const;

  std::vector<Index> order_;  // of the places of the data
  ProcessPlaces places_;      // in that order
  Index neighbours_;
  Execution how_;
  std::unique_ptr<NeighbourSearch> search_;
  NeighbourLists lists_;
  bool held_ = false;  // they are kept, whatever the kernel
  Vector shift_;       // of the last place
  Conditionals at_hand_;
  Matrix b_, information_;  // of the trend: coefficients, and H' A^-1 H
  Matrix rest_;             // y - H b
};

}  // namespace mercer::detail
