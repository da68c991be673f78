#include "usage.hpp"

#include <cassert>

namespace mercer::cli {

Usage usage_of(const Verb& verb, const std::string& machine) {
  Words words;
  if (!machine.empty()) words.push_back(machine);
  words.emplace_back(kDescribe);
  try {
    verb.run(words);
  } catch (const Described& found) {
    return found.usage;
  }
  assert(!"a verb parses its arguments before it does anything");
  return {};
}

}  // namespace mercer::cli
