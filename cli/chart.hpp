// Pictures made of characters.
#pragma once

#include <string>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::cli {

// One block character per value, low to high; equal values are a line in the middle.
std::string sparkline(VectorView values);

// A share in [0, 1] as a bar of `width` columns.
std::string bar(double share, int width);

struct Interval {
  double low, high;
};

// A diagram of dots, two by four of them to a character, with numbers at its axes.
class Chart {
 public:
  Chart(Index width, Index height, Interval x, Interval y);  // in characters

  void dot(double x, double y);
  void fill(double x, Interval y);   // every dot between
  void shade(double x, Interval y);  // the characters between, where they hold no dot
  void mark(double x);               // a line upwards, where there is nothing else

  std::string str() const;  // lines with the axes

 private:
  Index column(double x) const;  // in dots; out of range: -1
  Index line(double y) const;    // in dots from above, likewise

  Index width_, height_;
  Interval x_, y_;
  std::vector<unsigned char> dots_;  // one byte for each character
  std::vector<bool> shaded_, marked_;
};

}  // namespace mercer::cli
