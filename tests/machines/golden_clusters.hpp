// What scikit-learn says of clusters: tests/golden/make_clusters.py writes the file.
#pragma once

#include "machines/golden_classifiers.hpp"

namespace mercer::test {

inline const Json& golden_clusters() {
  static const Json all = golden_file("clusters.json");
  return all;
}

}  // namespace mercer::test
