// Edge lists from hostile bytes: an error, or a graph that fits together.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "mercer/error.hpp"
#include "mercer/nodes.hpp"

namespace mercer::fuzz_edges {

namespace {

std::vector<std::string> seeds() {
  return {
      "0 1\n1 2\n2 0\n",
      "ann bob 0.5\nbob cy 2\n# end\n",
      "from,to,weight\n1,2,1\n2,1,1\n",
      "3\t4\n4\t4\n\n7\n",
      "0 1 -1\n",
      "5 6\r\n6 5\r\n",
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  try {
    const NamedGraph named = parse_edges(content, "fuzz.txt");
    const Index n = named.graph.nodes();
    if (!named.names.empty() && static_cast<Index>(named.names.size()) != n) std::abort();
    for (const std::int32_t to : named.graph.neighbours()) {
      if (to < 0 || to >= n) std::abort();
    }
    for (const double weight : named.graph.weights()) {
      if (!(weight >= 0)) std::abort();
    }
    if (nodes(named).size() != n) std::abort();  // every name is found once
  } catch (const Error&) {
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"edges", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_edges
