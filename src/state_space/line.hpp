// Points of one real column, or of several lines, where a kernel has a state space for them.
#pragma once

#include "mercer/points.hpp"
#include "state_space/state_space.hpp"

namespace mercer::state_space {

bool on_a_line(const Points& x);  // one column of numbers

// None where there is none for such points, or `n` of them are too few for it to be less work than their pairs.
std::optional<AlongLines> along_lines(const Kernel& k, const Points& x);
constexpr Index kPointsPerState = 20;
inline bool is_shorter(Index states, Index n) { return states > 0 && n > kPointsPerState * states; }
std::optional<AlongLines> shorter_way(const Kernel& k, const Points& x, Index n);
inline std::optional<AlongLines> shorter_way(const Kernel& k, const Points& x) { return shorter_way(k, x, x.size()); }

Vector times_of(const Points& x);  // on a line
Vector times_of(const AlongLines& lines, const Points& x);
std::vector<Index> in_order(VectorView times);  // equal ones in the order given

// Points line by line, in the order of their first points, and along each in order of time.
struct Placed {
  std::vector<Index> order = {};     // of the points
  Vector times = {};                 // in this order
  std::vector<Range> lines = {};     // of this order
  bool as_given = true;              // the order is that of the points
  bool in_time = true;               // those of each line were in order of time
  std::optional<Points> names = {};  // a point of each line, its columns `apart`; none: there is one line

  std::size_t bytes() const { return order.size() * (sizeof(Index) + sizeof(double)) + lines.size() * sizeof(Range); }
};
std::shared_ptr<const Placed> placed(const AlongLines& lines, const Points& x);  // made once for the points
// Other points among these lines; behind them all, where `names` says nothing of it, what is on a line of its own.
Placed placed_among(const Placed& those, const AlongLines& lines, const Points& x);

}  // namespace mercer::state_space
