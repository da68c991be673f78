#include "mercer/wording.hpp"

#include <algorithm>
#include <array>

namespace mercer {

namespace {

constexpr std::array<std::string_view, 46> kArguments = {
    "source",   "target",   "weights",    "kernel",     "scale",      "start",      "plain",       "memory",
    "threads",  "format",   "header",     "text",       "graph",      "node",       "graphs",      "bag",
    "series",   "folds",    "folds_file", "repeats",    "deviations", "components", "coordinates", "noise",
    "centres",  "time",     "stream",     "resume",     "prepare",    "invariance", "probability", "inducing",
    "nearest",  "learn_on", "solver",     "types",      "columns",    "drop",       "missing",     "intervals",
    "interval", "adaptive", "task",       "centres_by", "rank",       "series_by"};

}  // namespace

std::string spelled(std::string_view text, const std::function<std::string(const Argument&)>& spelling) {
  std::string out;
  while (true) {
    const std::size_t open = text.find('`'), close = open == text.npos ? open : text.find('`', open + 1);
    if (close == text.npos) return out.append(text);
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const std::size_t equal = std::min(inside.find('='), inside.size());
    const Argument argument{inside.substr(0, equal), inside.substr(std::min(equal + 1, inside.size()))};
    if (std::ranges::find(kArguments, argument.name) == kArguments.end()) {
      // The second quote may be the first one of an argument.
      out.append(text.substr(0, close));
      text.remove_prefix(close);
      continue;
    }
    out.append(text.substr(0, open)).append(spelling(argument));
    text.remove_prefix(close + 1);
  }
}

}  // namespace mercer
