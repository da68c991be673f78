// A sketch of a tall matrix: its rows added up in random groups with random signs, S V^1/2 A with few rows, so that
// (S A)'V(S A) is near A'V A whatever A is (Clarkson & Woodruff, STOC 2013). What is drawn for a row is a matter of its
// number alone: no result depends on threads, or on how rows come.
#pragma once

#include <functional>
#include <vector>

#include "distributed/ranks.hpp"
#include "mercer/evaluate.hpp"

namespace mercer::centres {

class Sketch {
 public:
  // Of rows of so many numbers, in twice as many groups as they have numbers, or in as many as there are rows.
  Sketch(Index rows, Index columns);

  // Rows `some`, which A has, with the weights v of each. 4 flops for each of their numbers.
  void add(Range some, MatrixView A, const std::function<double(Index row)>& weight, int threads);

  Sketch(Matrix numbers, Vector ones) : numbers_(std::move(numbers)), ones_(std::move(ones)) {}

  Matrix& numbers() { return numbers_; }
  const Vector& ones() const { return ones_; }  // of a further column of A, whose numbers are all 1

 private:
  Matrix numbers_;
  Vector ones_;
};

// The sketch of all rows of a pass. Blocks of pieces are sketched by themselves, of so many rows that adding them up is
// little beside that, and dealt where several processes fit one model; the sum has 2 m^2 numbers more than the sketch.
struct Slabs {
  Index rows = 0, columns = 0, pieces = 0;
  std::function<void(Range pieces, const std::function<void(Range rows, MatrixView A)>& use)> slabs;
};
// Weights: none where all are 1.
Sketch sketch_of(const Slabs& all, VectorView weights, int threads);

// The sketch of k(x, Z).
class HeldPass;
Sketch sketch_of(const HeldPass& pass, VectorView weights, const Execution& how);

}  // namespace mercer::centres
