// What scikit-learn says of clusters: tests/golden/make_clusters.py writes the file.
#pragma once

#include "machines/golden_classifiers.hpp"

namespace mercer::test {

inline const nlohmann::json& golden_clusters() {
  static const nlohmann::json all = [] {
    std::ifstream in(std::string(MERCER_TEST_SOURCE) + "/golden/clusters.json");
    return nlohmann::json::parse(in);
  }();
  return all;
}

}  // namespace mercer::test
