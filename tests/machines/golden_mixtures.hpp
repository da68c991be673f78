// What scikit-learn and SciPy say: tests/golden/make_mixtures.py writes the file.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "machines/golden_classifiers.hpp"

namespace mercer::test {

inline const nlohmann::json& golden_mixtures() {
  static const nlohmann::json all = [] {
    std::ifstream in(std::string(MERCER_TEST_SOURCE) + "/golden/mixtures.json");
    return nlohmann::json::parse(in);
  }();
  return all;
}

}  // namespace mercer::test
