#include "points/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mercer::detail {

namespace {

// body(row, column) gives the place in the old picture of each pixel of the new one.
template <class Place>
void look_up(const Picture& from, std::span<double> to, Place place) {
  const double ground = from.ground();
  std::size_t next = 0;
  for (Index r = 0; r < from.height; ++r) {
    for (Index c = 0; c < from.width; ++c) {
      const auto [row, column] = place(static_cast<double>(r), static_cast<double>(c));
      to[next++] = pixel_at(from, row, column, ground);
    }
  }
}

struct Place {
  double row, column;
};

Place middle(const Picture& of) {
  return {static_cast<double>(of.height - 1) / 2, static_cast<double>(of.width - 1) / 2};
}

}  // namespace

double Picture::ground() const { return *std::min_element(pixels.begin(), pixels.end()); }

double pixel_at(const Picture& picture, double row, double column, double ground) {
  const double top = std::floor(row), left = std::floor(column);
  const auto height = static_cast<double>(picture.height), width = static_cast<double>(picture.width);
  if (!(top >= -1 && top < height && left >= -1 && left < width)) return ground;
  const auto one = [&](double r, double c) {
    const bool inside = r >= 0 && r < height && c >= 0 && c < width;
    return inside ? picture.at(static_cast<Index>(r), static_cast<Index>(c)) : ground;
  };
  const double down = row - top, right = column - left;
  // On a pixel its value to the last bit, and of equal pixels the same.
  const auto between = [](double a, double b, double share) { return share == 0 || a == b ? a : a + share * (b - a); };
  return between(between(one(top, left), one(top, left + 1), right),
                 between(one(top + 1, left), one(top + 1, left + 1), right), down);
}

void shifted(const Picture& from, Index down, Index right, std::span<double> to) {
  const double ground = from.ground();
  std::size_t next = 0;
  for (Index r = 0; r < from.height; ++r) {
    for (Index c = 0; c < from.width; ++c) {
      const Index row = r - down, column = c - right;
      const bool inside = row >= 0 && row < from.height && column >= 0 && column < from.width;
      to[next++] = inside ? from.at(row, column) : ground;
    }
  }
}

void rotated(const Picture& from, double degrees, std::span<double> to) {
  const double angle = degrees * std::numbers::pi / 180, cosine = std::cos(angle), sine = std::sin(angle);
  const Place m = middle(from);
  look_up(from, to, [&](double r, double c) {
    const double down = r - m.row, right = c - m.column;
    return Place{m.row + cosine * down + sine * right, m.column - sine * down + cosine * right};
  });
}

void scaled(const Picture& from, double factor, std::span<double> to) {
  const Place m = middle(from);
  look_up(from, to, [&](double r, double c) {
    return Place{m.row + (r - m.row) / factor, m.column + (c - m.column) / factor};
  });
}

void flipped(const Picture& from, bool up_down, std::span<double> to) {
  std::size_t next = 0;
  for (Index r = 0; r < from.height; ++r) {
    for (Index c = 0; c < from.width; ++c) {
      to[next++] = up_down ? from.at(from.height - 1 - r, c) : from.at(r, from.width - 1 - c);
    }
  }
}

void deskewed(const Picture& from, std::span<double> to) {
  const double ground = from.ground(), largest = *std::max_element(from.pixels.begin(), from.pixels.end());
  if (largest == ground) {
    std::copy(from.pixels.begin(), from.pixels.end(), to.begin());
    return;
  }
  // In units of the largest, so that no sum overflows.
  const double unit = largest - ground;
  const auto each = [&](auto add) {
    for (Index r = 0; r < from.height; ++r) {
      for (Index c = 0; c < from.width; ++c) {
        add(static_cast<double>(r), static_cast<double>(c), (from.at(r, c) - ground) / unit);
      }
    }
  };
  double ink = 0, rows = 0, columns = 0;
  each([&](double r, double c, double i) {
    ink += i;
    rows += i * r;
    columns += i * c;
  });
  const Place centroid{rows / ink, columns / ink}, m = middle(from);
  double along = 0, across = 0;
  each([&](double r, double c, double i) {
    along += i * (r - centroid.row) * (r - centroid.row);
    across += i * (r - centroid.row) * (c - centroid.column);
  });
  // Rounding is no slope.
  const double slope = along > 1e-12 * ink ? across / along : 0;
  look_up(from, to, [&](double r, double c) {
    return Place{centroid.row + r - m.row, centroid.column + c - m.column + slope * (r - m.row)};
  });
}

}  // namespace mercer::detail
