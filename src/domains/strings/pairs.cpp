#include "domains/strings/pairs.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace mercer::detail {

std::shared_ptr<const Side> StringSide::select(std::span<const Index> chosen) const {
  auto out = std::make_shared<StringSide>();
  out->rows = static_cast<Index>(chosen.size());
  out->letters = letters;
  out->which = which.select(chosen);
  return out;
}

Sides string_sides(const PointsPair& points, Alphabet alphabet, const std::string& who) {
  const auto side = [&](const Points& p) {
    const ObjectsOf<Strings> strings = objects_of<Strings>(p, who, "strings");
    auto out = std::make_shared<StringSide>();
    out->rows = strings.size();
    out->letters = strings.store->letters(alphabet, who);
    out->which = strings.which;
    return out;
  };
  const auto x = side(points.x);
  return {x, points.same() ? x : side(points.y)};
}

StringGroups::StringGroups(const StringSide& side, Range range)
    : side_(side), order_(at(range.size())), lengths_(simd::kGroup) {
  std::iota(order_.begin(), order_.end(), range.begin);
  std::stable_sort(order_.begin(), order_.end(), [&](Index a, Index b) { return side_[a].size() < side_[b].size(); });
}

Index StringGroups::size() const {
  constexpr auto group = static_cast<Index>(simd::kGroup);
  return (static_cast<Index>(order_.size()) + group - 1) / group;
}
Index StringGroups::first(Index g) const { return g * static_cast<Index>(simd::kGroup); }
Index StringGroups::last(Index g) const { return std::min(first(g + 1), static_cast<Index>(order_.size())); }

simd::StringGroup StringGroups::pack(Index g) {
  const std::size_t longest = side_[number(last(g) - 1)].size();
  symbols_.assign(longest * simd::kGroup, simd::kNoSymbol);
  std::fill(lengths_.begin(), lengths_.end(), 0);
  for (Index place = first(g); place < last(g); ++place) {
    const auto letters = side_[number(place)];
    const auto lane = at(place - first(g));
    lengths_[lane] = letters.size();
    for (std::size_t k = 0; k < letters.size(); ++k) symbols_[k * simd::kGroup + lane] = letters[k];
  }
  return {symbols_.data(), lengths_.data(), longest, at(last(g) - first(g))};
}

}  // namespace mercer::detail
