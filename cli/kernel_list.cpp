#include "kernel_list.hpp"

namespace mercer::cli {

std::vector<Kernel> parse_list(const std::string& text) {
  std::vector<Kernel> out;
  std::string one;
  bool in_quotes = false;
  for (const char c : text) {
    if (c == '"') in_quotes = !in_quotes;
    if (c == ';' && !in_quotes) {
      out.push_back(parse(one));
      one.clear();
    } else {
      one.push_back(c);
    }
  }
  out.push_back(parse(one));
  return out;
}

}  // namespace mercer::cli
