// Folders of graphs from hostile bytes: the files of one, separated by "%".
#include <cstdint>
#include <string>
#include <vector>

#include "domains/graphs/tu_folder.hpp"
#include "fuzz/target.hpp"
#include "mercer/error.hpp"

namespace mercer::fuzz_tu {

namespace {

std::vector<std::string> seeds() {
  return {
      "1, 2\n2, 1\n2,3\n3, 2\n5, 4\n4, 5\n%1\n1\n1\n2\n2\n%1\n-1\n%C\nO\nC\nC\nN\n%1\n1\n2\n2\n1\n1\n%1, 2\n3, 4\n5, "
      "6\n7, "
      "8\n9, 1e1\n",
      "1, 1\n%1\n",
      "\n%\n",
      "1,2\r\n2,1\r\n%1\r\n1\r\n%0.5\r\n",
      "1, 2\n2, 1\n%1\n99999999999\n",
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> files{""};
  for (const char c : content) {
    if (c == '%') {
      files.emplace_back();
    } else {
      files.back().push_back(c);
    }
  }
  files.resize(6);
  TuTexts texts{.edges = files[0], .graph_of_node = files[1]};
  if (!files[2].empty()) texts.graph_labels = files[2];
  if (!files[3].empty()) texts.node_labels = files[3];
  if (!files[4].empty()) texts.edge_labels = files[4];
  if (!files[5].empty()) texts.node_attributes = files[5];
  try {
    parse_tu(texts, "fuzz");
  } catch (const Error&) {
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"tu", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_tu
