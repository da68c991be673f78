// Points of the plane in classes, for the tests of what tells classes apart.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "mercer/model.hpp"
#include "support.hpp"

namespace mercer::test {

inline std::vector<std::string> names_of(const std::vector<Index>& classes) {
  std::vector<std::string> names;
  for (const Index c : classes) names.push_back(std::to_string(c));
  return names;
}

struct Data {
  Matrix x;
  std::vector<Index> classes;
  Labels labels() const { return Labels::from(names_of(classes)); }
};

// Classes by the angle of a point, with errors.
inline Data sectors(Index n, Index count, unsigned seed, double blur = 0.1) {
  Data data{random_matrix(n, 2, seed), {}};
  const Vector noise = random_vector(n, seed + 50, -blur, blur);
  for (Index i = 0; i < n; ++i) {
    const double turn = std::atan2(data.x(i, 1), data.x(i, 0)) / (2 * M_PI) + 0.5 + noise[at(i)];
    data.classes.push_back(static_cast<Index>((turn - std::floor(turn)) * static_cast<double>(count)));
  }
  for (Index c = 0; c < count; ++c) data.classes[at(c)] = c;
  return data;
}

}  // namespace mercer::test
