#include "workflow/guess.hpp"

#include <fmt/format.h>

namespace mercer::workflow {

Prepared guessed(Prepared data) {
  const auto& guesses = machine(data.machine).guesses;
  if (!guesses) return data;
  std::vector<std::string> words;
  for (const auto& [name, value] : guesses(data.settings, data.training)) {
    words.push_back(fmt::format("{} {}", name, value));
    data.settings[name] = value;
  }
  if (words.empty()) return data;
  data.remarks.push_back(
      fmt::format("{}: guesses from the spread of the target; learning finds better", fmt::join(words, " and ")));
  return data;
}

}  // namespace mercer::workflow
