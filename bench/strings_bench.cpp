// Matrices of kernels on strings: bench/strings.py brings the peers.
#include <optional>
#include <string>
#include <vector>

#include "bench.hpp"
#include "file/bytes.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

std::vector<std::string> second_column(const std::string& path) {
  const Bytes bytes = read_bytes(path);
  const std::string_view text = bytes.text;
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size()), tab = text.find('\t', at);
    if (tab < end) out.emplace_back(text.substr(tab + 1, end - tab - 1));
    at = end + 1;
  }
  return out;
}

Json gram_case(const Words& words) {
  std::vector<std::string> text = second_column(words.at(0));
  if (words.size() > 3) {
    const std::size_t width = std::stoul(words[3]);
    for (std::string& s : text) s = s.substr(s.size() > width ? (s.size() - width) / 2 : 0, width);
  }
  const Kernel kernel = parse(words.at(1));
  double best = 1e300;
  std::optional<Matrix> K;
  for (int round = 0; round < std::stoi(words.at(2)); ++round) {
    K.reset();
    const Points x = strings(text);  // anew, so that nothing is known of them
    best = std::min(best, seconds([&] { K = gram(kernel, x); }));
  }
  Json corner = Json::array();
  for (Index i = 0; i < std::min<Index>(20, K->rows()); ++i) {
    for (Index j = 0; j < std::min<Index>(20, K->rows()); ++j) corner.push_back((*K)(i, j));
  }
  return {{"strings", text.size()}, {"seconds", best}, {"corner", corner}, {"megabytes", peak_megabytes()}};
}

}  // namespace

Bench strings_bench() {
  return {"strings",
          "matrices of kernels on strings",
          {{"gram", "FILE KERNEL ROUNDS [WIDTH]", "label<TAB>string a line; WIDTH cuts that much from the middle",
            gram_case}}};
}

}  // namespace mercer::bench
