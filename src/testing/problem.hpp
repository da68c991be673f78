// Small training sets with a shape, for the laws of machines.
#pragma once

#include <span>
#include <vector>

#include "mercer/kernel.hpp"
#include "mercer/machines.hpp"

namespace mercer::testing {

// Points around the crossings of a grid, so that K is well-conditioned; two targets, and classes in stripes with some
// labels exchanged. A machine is given what its task asks for.
struct Problem {
  Kernel k;
  Matrix x, y;
  std::vector<Index> class_of;
  Index classes = 2;
  Vector weights = {};
  bool bags = false;  // each point is a bag of one row, an object of a store, under a kernel between bags

  static Problem draw(Index size, Index classes, std::uint64_t seed, bool bags = false);
  Index size() const { return x.rows(); }
  Points points() const { return like(rows(x.view())); }  // borrows: keep the problem
  Points like(const Points& rows) const;                  // the same kind of points from rows
  // The points of these numbers in this order, with all that belongs to them.
  Problem select(std::span<const Index> which) const;
  Training training(Task task, const Execution& how = {}) const;  // K is computed when asked for
  Training training(Task task, const Gram& K) const;
};

}  // namespace mercer::testing
