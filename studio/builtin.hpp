// Data sets that are there without any file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "studio/data_set.hpp"

namespace mercer::studio {

struct Builtin {
  std::string name, words;
  std::string task;  // "classes", "numbers"; empty: no target
  bool play;         // its points can be drawn and moved
  Dataset (*make)();
};
const std::vector<Builtin>& builtins();

std::shared_ptr<const DataSet> builtin(const std::string& name);  // throws Failure 404, with the nearest name

}  // namespace mercer::studio
