// How long a path is: a sum of numbers that is the same in whatever order they are added.
//
// A weight is taken for the number it is written as: the decimal of fewest digits that reads as that double. So
// 0.1 + 0.2 is 0.3. Sums are kept to 32 digits and rounded to a double once, at the end: paths whose exact lengths
// round to the same double are equally long, no others are, and no other graph has a say in it.
#pragma once

#include <compare>

namespace mercer {

struct Length {
  double high = 0, low = 0;  // high + low, high being the nearest double

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the zero of a default <=> for a pointer
  friend auto operator<=>(const Length&, const Length&) = default;
};

Length written_length(double weight);  // of a finite number >= 0
Length operator+(const Length& a, const Length& b);

}  // namespace mercer
