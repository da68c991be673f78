// What scikit-learn says: tests/golden/make_classifiers.py writes the file.
#pragma once

#include <vector>

#include "machines/golden_file.hpp"
#include "mercer/matrix.hpp"

namespace mercer::test {

inline const Json& golden_classifiers() {
  static const Json all = golden_file("classifiers.json");
  return all;
}

inline Matrix matrix_in(const Json& rows) {
  const auto values = rows.get<std::vector<Vector>>();
  Matrix out(static_cast<Index>(values.size()), static_cast<Index>(values.front().size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::copy(values[i].begin(), values[i].end(), out.row(static_cast<Index>(i)));
  }
  return out;
}

}  // namespace mercer::test
