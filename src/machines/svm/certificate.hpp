// f = K b in double precision, while steps go by rows in single precision: it shows how far b is from optimal.
#pragma once

#include <functional>
#include <vector>

#include "machines/svm/dual.hpp"
#include "machines/svm/loop_state.hpp"

namespace mercer::detail {

// Points, and by how much the coefficient of each changes.
struct Moves {
  std::vector<Index> points;
  Vector change;

  void reserve(std::size_t count) {
    points.reserve(count);
    change.reserve(count);
  }
};

// Of the loop whose marks and vectors these are.
class Certifier {
 public:
  Certifier(const DualProblem& problem, const Rows& rows, const DualOptions& options, int threads, LoopMarks& loop,
            LoopVectors& vectors)
      : p_(problem), rows_(rows), options_(options), threads_(threads), loop_(loop), vectors_(vectors) {}

  // All but the first whatever the limits.
  enum class When { within_limits, to_go_on, at_the_end, time_is_over };

  // f = K b in double precision: what has changed since the last time is added to what was found then. False when
  // `told` ended it first, who is asked every few thousand rows; f is then as it was.
  bool look(When when, const std::function<bool()>& told);
  // The most that the gap can be, where the time was over and f is not known better; else 0.
  double gap_at_most() const { return gap_at_most_; }
  // What the next look will take, when so many more variables will have moved.
  double seconds(double to_come);

 private:
  Moves moved_since(const Vector& known) const;
  void add_some(const Moves& moved, std::size_t first, std::size_t count, Vector& f, Vector& error) const;
  void f_where_it_decides(When when);
  double seconds_where_it_decides(double more);

  const DualProblem& p_;
  const Rows& rows_;
  const DualOptions& options_;
  const int threads_;
  LoopMarks& loop_;
  LoopVectors& vectors_;
  double gap_at_most_ = 0;
  double seconds_of_row_ = 0, seconds_of_number_ = 0;  // of f in double precision
};

}  // namespace mercer::detail
