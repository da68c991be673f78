#include "check/sets.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::checking {

namespace {

// A few spacings in every decade; a function of unknown width shows its sign changes at some of them.
std::vector<double> spacings() {
  std::vector<double> all;
  for (const double decade : {1.0, 10.0, 100.0, 0.1, 1000.0}) {
    for (const double step : {1.0, 5.0, 2.0, 3.0, 4.0, 7.0, 2.5, 1.5}) all.push_back(step / decade);
  }
  all.push_back(10);
  return all;
}

Matrix selection(const Matrix& points, std::initializer_list<Index> rows) {
  Matrix out = Matrix::uninitialized(std::ssize(rows), points.cols());
  Index at = 0;
  for (const Index i : rows) std::copy_n(points.row(i), points.cols(), out.row(at++));
  return out;
}

// The integer points of a box with the given numbers of points along its sides, shifted and scaled.
Matrix grid(Index d, std::span<const Index> sides, double spacing, double first) {
  Index n = 1;
  for (const Index side : sides) n *= side;
  Matrix out(n, d);
  for (Index i = 0; i < n; ++i) {
    Index rest = i;
    for (std::size_t k = 0; k < sides.size(); ++k) {
      out(i, static_cast<Index>(k)) = first + spacing * static_cast<double>(rest % sides[k]);
      rest /= sides[k];
    }
  }
  return out;
}

}  // namespace

Matrix nice_points(Index d) {
  if (d == 1) {
    return {{1}, {-1}, {2}, {-2}, {0.5}, {-0.5}, {3}, {-3}, {0}, {4}, {1.5}, {5}, {10}, {0.25}, {0.1}, {-10}};
  }
  // The first component, the last one, and those between.
  struct Nice {
    double first, last, between;
  };
  constexpr std::array table = {
      Nice{1, 0, 0},  Nice{0, 1, 0}, Nice{1, 1, 1},      Nice{-1, 0, 0},  Nice{-1, -1, -1}, Nice{1, -1, 0},
      Nice{0, -1, 0}, Nice{1, 2, 1}, Nice{2, 1, 1},      Nice{2, 0, 0},   Nice{2, 2, 2},    Nice{0.5, 0.5, 0.5},
      Nice{0, 0, 0},  Nice{0, 3, 0}, Nice{0.5, -1.5, 0}, Nice{0.5, 0, 0}, Nice{0, 0.5, 0},  Nice{1, 3, 2},
  };
  Matrix out = Matrix::uninitialized(std::ssize(table), d);
  for (Index i = 0; i < out.rows(); ++i) {
    const Nice& nice = table[static_cast<std::size_t>(i)];
    std::fill_n(out.row(i), d, nice.between);
    out(i, 0) = nice.first;
    out(i, d - 1) = nice.last;
  }
  return out;
}

bool regular_sets(Index d, const std::function<bool(const Matrix&)>& visit) {
  const Matrix nice = nice_points(d);
  const Index n = nice.rows();
  for (Index i = 0; i < n; ++i) {
    if (visit(selection(nice, {i}))) return true;
  }
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < j; ++i) {
      if (visit(selection(nice, {i, j}))) return true;
    }
  }
  for (Index l = 0; l < 9; ++l) {
    for (Index j = 0; j < l; ++j) {
      for (Index i = 0; i < j; ++i) {
        if (visit(selection(nice, {i, j, l}))) return true;
      }
    }
  }
  const auto grids = [&](std::span<const Index> sides, bool everywhere) {
    for (const double h : spacings()) {
      if (visit(grid(d, sides, h, 0))) return true;
      if (!everywhere) continue;
      if (visit(grid(d, sides, h, -0.5 * h * static_cast<double>(sides[0] - 1)))) return true;
      if (visit(grid(d, sides, h, 1))) return true;
    }
    return false;
  };
  for (const Index side : {2, 3, 4, 5, 6, 8, 12, 16, 24}) {
    if (grids(std::array{side}, d == 1)) return true;
  }
  if (d == 1) return false;
  for (const double h : spacings()) {
    // The origin, the axes and their opposites.
    Matrix cross(std::min<Index>(2 * d + 1, 25), d);
    for (Index i = 1; i < cross.rows(); ++i) cross(i, (i - 1) / 2) = i % 2 == 1 ? h : -h;
    if (visit(cross)) return true;
  }
  for (const auto& sides : {std::array<Index, 2>{2, 2}, {2, 3}, {3, 3}, {3, 4}, {4, 4}, {4, 6}, {6, 6}}) {
    if (grids(sides, true)) return true;
  }
  if (d == 2) return false;
  return grids(std::array<Index, 3>{2, 2, 2}, true) || grids(std::array<Index, 3>{3, 3, 2}, true) ||
         grids(std::array<Index, 3>{3, 3, 3}, true);
}

Matrix random_set(Random& random, Index d) {
  const Index n = 2 + random.below(23);
  const double scale = random.log_uniform(0.03, 10);
  const Index kind = random.below(5);
  Matrix points = Matrix::uninitialized(n, d);
  for (Index i = 0; i < n; ++i) {
    double length = 0;
    for (Index k = 0; k < d; ++k) {
      double& v = points(i, k);
      switch (kind) {
        case 0: v = scale * random.normal(); break;
        case 1: v = scale * random.uniform(-1, 1); break;
        case 2: v = scale * static_cast<double>(random.below(9) - 4); break;
        case 3: v = i % 2 == 0 ? scale * random.normal() : points(i - 1, k) + 0.05 * scale * random.normal(); break;
        default: v = random.normal(); break;
      }
      length += v * v;
    }
    if (kind == 4 && d > 1) {
      for (Index k = 0; k < d; ++k) points(i, k) *= scale / std::sqrt(length);
    }
  }
  return points;
}

Matrix moved_into(Inputs inputs, Matrix points) {
  const Index count = points.rows() * points.cols();
  if (inputs == Inputs::nonnegative) {
    for (Index i = 0; i < count; ++i) points.data()[i] = std::abs(points.data()[i]);
  } else if (inputs == Inputs::unit_ball) {
    double longest = 0;
    for (Index i = 0; i < points.rows(); ++i) {
      double squares = 0;
      for (Index k = 0; k < points.cols(); ++k) squares += points(i, k) * points(i, k);
      longest = std::max(longest, std::sqrt(squares));
    }
    if (longest >= 1) {
      for (Index i = 0; i < count; ++i) points.data()[i] *= 0.95 / longest;
    }
  }
  return points;
}

}  // namespace mercer::checking
