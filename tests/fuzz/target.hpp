// A target of the fuzzer: inputs to begin with, and what is done with an input; an exception that gets out of it, or a
// crash, is a failure. Each file of this folder has one, in a namespace of the file's name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mercer {

struct FuzzTarget {
  const char* name;
  std::vector<std::string> (*seeds)();
  void (*run)(const std::uint8_t* data, std::size_t size);

  static std::vector<FuzzTarget>& all();
  // To be the value of a constant of the file: enters the target into the list.
  static bool add(const FuzzTarget& target);
};

}  // namespace mercer
