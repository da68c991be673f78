// The tree of all substrings of some strings, up to a length: where two of them part, there is a node. A tree of N
// letters has at most 2 N nodes, however long the substrings are. Weiner 1973; Vishwanathan & Smola 2003.
//
// A node stands for the substrings that end on the way to it from its parent: as many lengths, each occurring at the
// same places. Made by sorting the beginnings of all suffixes by doubling: O(N log(longest)) time, some 100 N bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "domains/strings/letters.hpp"

namespace mercer::detail {

class SubstringTree {
 public:
  // UsageError in the name of `who` where memory is not enough.
  SubstringTree(Letters letters, Index longest, const std::string& who);

  Index size() const { return static_cast<Index>(nodes_.size()); }  // the root, number 0, is one of them
  Index above(Index node) const { return nodes_[static_cast<std::size_t>(node)].above; }  // length of its parent
  Index depth(Index node) const { return nodes_[static_cast<std::size_t>(node)].depth; }
  const Letters& letters() const { return letters_; }
  std::size_t bytes() const { return letters_.bytes() + nodes_.size() * sizeof(Node); }

  // The way down that the letters lead, at most `longest` of them: visit(node, length) for each node that is come to,
  // with the length up to which the letters are those of the tree. It is the depth of the node but for the last one.
  template <class Visit>
  void follow(std::span<const std::uint32_t> letters, Visit visit) const {
    Index node = 0, length = 0;
    while (length < static_cast<Index>(letters.size())) {
      node = child(node, length, letters[static_cast<std::size_t>(length)]);
      if (node < 0) return;
      const Node& here = nodes_[static_cast<std::size_t>(node)];
      const Index last = std::min<Index>(here.depth, static_cast<Index>(letters.size()));
      const std::uint32_t* const own = letters_.symbols.data() + here.at;
      while (length < last && own[length] == letters[static_cast<std::size_t>(length)]) ++length;
      visit(node, length);
      if (length < here.depth) return;
    }
  }

 private:
  struct Node {
    std::uint32_t at;    // where a string begins that leads here
    std::int32_t above;  // depth of the parent
    std::int32_t depth;
    std::int32_t behind;  // the next node that is not below this one
  };

  // Nodes stand in the order of their substrings, each before those below it.
  Index child(Index node, Index length, std::uint32_t letter) const {
    if (node == 0) return first_child(letter);
    const Index end = nodes_[static_cast<std::size_t>(node)].behind;
    for (Index at = node + 1; at < end; at = nodes_[static_cast<std::size_t>(at)].behind) {
      if (letters_.symbols[nodes_[static_cast<std::size_t>(at)].at + static_cast<std::size_t>(length)] == letter)
        return at;
    }
    return -1;
  }

  Index first_child(std::uint32_t letter) const;  // of the root, which may have very many

  Letters letters_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> below_root_;
};

}  // namespace mercer::detail
