// What scikit-learn says: tests/golden/make_classifiers.py writes the file.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mercer/matrix.hpp"
#include "paths.hpp"

namespace mercer::test {

inline const nlohmann::json& golden_classifiers() {
  static const nlohmann::json all = [] {
    std::ifstream in(std::string(MERCER_TEST_SOURCE) + "/golden/classifiers.json");
    return nlohmann::json::parse(in);
  }();
  return all;
}

inline Matrix matrix_in(const nlohmann::json& rows) {
  const auto values = rows.get<std::vector<Vector>>();
  Matrix out(static_cast<Index>(values.size()), static_cast<Index>(values.front().size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::copy(values[i].begin(), values[i].end(), out.row(static_cast<Index>(i)));
  }
  return out;
}

}  // namespace mercer::test
