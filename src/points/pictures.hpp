// Pictures as rows of numbers: where a pixel of the new picture is looked for in the old one.
#pragma once

#include <span>

#include "mercer/matrix.hpp"

namespace mercer::detail {

// Rows of `height` x `width` pixels, row by row. The ground of a picture is its smallest pixel.
struct Picture {
  Index height = 0, width = 0;
  std::span<const double> pixels;

  double ground() const;
  double at(Index row, Index column) const { return pixels[static_cast<std::size_t>(row * width + column)]; }
};

// Between pixels by the four around it (bilinear), the ground where there is none.
double pixel_at(const Picture& picture, double row, double column, double ground);

// Each writes the new picture, of the same size.
void shifted(const Picture& from, Index down, Index right, std::span<double> to);
void rotated(const Picture& from, double degrees, std::span<double> to);  // against the clock, about the middle
void scaled(const Picture& from, double factor, std::span<double> to);    // above 1: larger, about the middle
void flipped(const Picture& from, bool up_down, std::span<double> to);    // else left and right
// With I the ink above the ground at (r, c), its centroid (r0, c0) and the middle of the picture (m, n):
//     to(r, c) = from(r0 + r - m, c0 + c - n + a (r - m)),   a = sum I (r - r0)(c - c0) / sum I (r - r0)^2,
// sheared upright and moved to the middle. Without ink the picture stays as it is, ink in one line is not sheared.
void deskewed(const Picture& from, std::span<double> to);

}  // namespace mercer::detail
