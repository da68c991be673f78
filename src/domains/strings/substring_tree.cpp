#include "domains/strings/substring_tree.hpp"

#include <algorithm>
#include <bit>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "domains/strings/ranks.hpp"

namespace mercer::detail {

namespace {

using Numbers = std::vector<std::uint32_t>;

// For each position how many letters there are from it to the end of its string.
Numbers rests(const Letters& letters) {
  Numbers out(letters.symbols.size());
  for (std::size_t i = 0; i + 1 < letters.offsets.size(); ++i) {
    for (std::uint32_t at = letters.offsets[i]; at < letters.offsets[i + 1]; ++at)
      out[at] = letters.offsets[i + 1] - at;
  }
  return out;
}

// Where the different beginnings of suffixes, of `longest` letters or up to the end, stand first; in their order. A
// shorter one comes before those that it begins.
Numbers sorted_beginnings(const Letters& letters, const Numbers& rest, std::size_t longest) {
  const std::size_t positions = letters.symbols.size();
  Numbers symbols = letters.symbols;
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  Numbers number(positions);  // of symbols, from 1; then of the beginnings, from 0
  for (std::size_t at = 0; at < positions; ++at) {
    const auto found = std::lower_bound(symbols.begin(), symbols.end(), letters.symbols[at]);
    number[at] = static_cast<std::uint32_t>(found - symbols.begin()) + 1;
  }
  const auto bits = std::max<std::size_t>(1, std::bit_width(symbols.size()));
  std::size_t length = std::min(longest, 64 / bits);
  std::vector<Keyed> keys(positions);
  for (std::size_t at = 0; at < positions; ++at) {
    std::uint64_t key = 0;
    for (std::size_t l = 0; l < length; ++l) key = key << bits | (l < rest[at] ? number[at + l] : 0);
    keys[at] = {key, static_cast<std::uint32_t>(at)};
  }
  Numbers firsts = rank_keys(keys, number);
  while (length < longest && firsts.size() < positions) {
    const std::size_t step = std::min(length, longest - length);
    for (std::size_t at = 0; at < positions; ++at) {
      const std::uint64_t then = step < rest[at] ? number[at + step] + std::uint64_t{1} : 0;
      keys[at] = {std::uint64_t{number[at]} << 32 | then, static_cast<std::uint32_t>(at)};
    }
    firsts = rank_keys(keys, number);
    length += step;
  }
  return firsts;
}

void require_memory(std::size_t positions, const std::string& who) {
  const double bytes = 120.0 * static_cast<double>(positions);
  if (bytes <= available_memory()) return;
  fail(ErrorKind::usage, "{}: {} letters need {:.3g} GB, {:.3g} are free; take fewer or shorter strings", who,
       positions, bytes / 1e9, available_memory() / 1e9);
}

}  // namespace

SubstringTree::SubstringTree(Letters letters, Index longest, const std::string& who) : letters_(std::move(letters)) {
  require_memory(letters_.symbols.size(), who);
  const Numbers rest = rests(letters_), firsts = sorted_beginnings(letters_, rest, at(longest));
  const auto depth_of = [&](std::size_t leaf) {
    return static_cast<std::int32_t>(std::min<std::size_t>(rest[firsts[leaf]], at(longest)));
  };
  const auto shared = [&](std::size_t leaf) {  // letters with the leaf before it
    const std::uint32_t *a = letters_.symbols.data() + firsts[leaf - 1], *b = letters_.symbols.data() + firsts[leaf];
    const std::int32_t most = std::min(depth_of(leaf - 1), depth_of(leaf));
    std::int32_t length = 0;
    while (length < most && a[length] == b[length]) ++length;
    return length;
  };

  // Leaves from the first to the last; `open` are the nodes on the way to the last one.
  struct Made {
    std::size_t first, last;  // leaves below
    std::int32_t above, depth;
  };
  std::vector<Made> made, open = {{0, 0, 0, 0}};
  for (std::size_t leaf = 0; leaf < firsts.size(); ++leaf) {
    const std::int32_t common = leaf == 0 ? 0 : shared(leaf);
    while (open.back().depth > common) {
      Made done = open.back();
      open.pop_back();
      done.last = leaf;
      done.above = std::max(common, open.back().depth);
      made.push_back(done);
      if (open.back().depth < common) open.push_back({done.first, 0, 0, common});
    }
    open.push_back({leaf, 0, 0, depth_of(leaf)});
  }
  for (; !open.empty(); open.pop_back()) {
    open.back().last = firsts.size();
    open.back().above = open.size() > 1 ? open[open.size() - 2].depth : 0;
    made.push_back(open.back());
  }
  std::sort(made.begin(), made.end(),
            [](const Made& a, const Made& b) { return a.first != b.first ? a.first < b.first : a.depth < b.depth; });
  nodes_.reserve(made.size());
  for (const Made& one : made) {
    const auto behind = std::upper_bound(made.begin(), made.end(), one.last,
                                         [](std::size_t leaf, const Made& other) { return leaf <= other.first; });
    nodes_.push_back({firsts.empty() ? 0 : firsts[one.first], one.above, one.depth,
                      static_cast<std::int32_t>(behind - made.begin())});
  }
  for (std::int32_t node = 1; node < nodes_.front().behind; node = nodes_[at(node)].behind) below_root_.push_back(node);
}

Index SubstringTree::first_child(std::uint32_t letter) const {
  const auto first_letter = [&](std::int32_t node) { return letters_.symbols[nodes_[at(node)].at]; };
  const auto found =
      std::lower_bound(below_root_.begin(), below_root_.end(), letter,
                       [&](std::int32_t node, std::uint32_t wanted) { return first_letter(node) < wanted; });
  return found != below_root_.end() && first_letter(*found) == letter ? *found : -1;
}

}  // namespace mercer::detail
