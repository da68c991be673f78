// What other programs say: the scripts beside these files wrote them.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "base/json.hpp"
#include "paths.hpp"

namespace mercer::test {

inline Json golden_file(const std::string& name) {
  std::ifstream in(std::string(MERCER_TEST_SOURCE) + "/golden/" + name);
  return Json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

}  // namespace mercer::test
