// What scikit-learn and SciPy say: tests/golden/make_mixtures.py writes the file.
#pragma once

#include "machines/golden_classifiers.hpp"

namespace mercer::test {

inline const Json& golden_mixtures() {
  static const Json all = golden_file("mixtures.json");
  return all;
}

}  // namespace mercer::test
