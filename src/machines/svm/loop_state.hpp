// All that the loop over working sets is at the top of a turn: going on from it takes the steps that were to come, to
// the last bit.
#pragma once

#include <limits>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::detail {

// Beside the vectors: copied at the top of each turn.
struct LoopMarks {
  bool certified = true;  // f is exact
  bool whole = false;     // the last turn was on all variables, and f is yet to follow
  bool begun = false;
  bool exact = false;         // rows are computed in double precision
  bool always_exact = false;  // f is kept in double precision, because that is cheap
  bool may_go_inside = false;
  bool closely = false;  // exact_f comes from rows in single precision, and `error` says how far it may be off
  Index steps = 0, rounds = 0, most_steps = 0;
  Index set_size = 0, largest_set = 0;
  Index poor_looks = 0;  // exact looks in a row that found hardly any progress
  Index idle_rounds = 0;
  double first_gap = 0, lowest_objective = 0;
  double lowest_gap = std::numeric_limits<double>::infinity();
  double last_exact_gap = std::numeric_limits<double>::infinity();
  std::vector<Index> last_set = {};
};

struct LoopVectors {
  Vector b, f, exact_b, exact_f;   // exact_f = K exact_b, in double precision
  Vector error = {};               // of exact_f where it is known closely; else empty
  std::vector<char> moved_before;  // of each variable
};

Vector numbers_of(const LoopMarks& marks, const LoopVectors& vectors);
// Of a loop over as many variables and points as these vectors have. Throws UsageError where it was over others.
void read_loop(const Vector& numbers, LoopMarks& marks, LoopVectors& vectors);

}  // namespace mercer::detail
