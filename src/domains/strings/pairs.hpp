// Strings prepared for kernels of pairs, one string against a group of others at a time (simd/string_groups.hpp).
#pragma once

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "domains/strings/strings.hpp"
#include "kernel/program_parts.hpp"
#include "simd/string_groups.hpp"

namespace mercer::detail {

struct StringSide final : Side {
  std::shared_ptr<const Side> select(std::span<const Index> chosen) const override;

  std::span<const std::uint32_t> operator[](Index i) const { return letters->of(which[i]); }

  std::shared_ptr<const Letters> letters;
  Selection which;
};
Sides string_sides(const PointsPair& points, Alphabet alphabet, const std::string& who);

// Some strings of a side, sorted by length, in groups.
class StringGroups {
 public:
  StringGroups(const StringSide& side, Range range);

  Index size() const;          // groups
  Index first(Index g) const;  // the place of its first string in the order
  Index last(Index g) const;   // behind its last
  Index number(Index place) const { return order_[static_cast<std::size_t>(place)]; }  // the string at that place
  // Packs it; valid until the next call.
  simd::StringGroup pack(Index g);

 private:
  const StringSide& side_;
  std::vector<Index> order_;
  std::vector<std::uint32_t> symbols_;
  std::vector<std::size_t> lengths_;
};

// body(row, group, numbers) computes kGroup numbers of string `row` of x with a group of y; `visit(row, column, lane)`
// is called for each pair of the tile (as given by their numbers in x and y) with the lane that holds it. Where both
// are the same strings, each pair is computed once.
template <class Body, class Visit>
void for_each_pair(const StringSide& x, const StringSide& y, Range i, Range j, const Body& body, const Visit& visit) {
  StringGroups groups(y, j);
  const bool same = &x == &y && i.begin == j.begin && i.end == j.end;
  for (Index g = 0; g < groups.size(); ++g) {
    const simd::StringGroup group = groups.pack(g);
    const Index rows = same ? groups.last(g) : i.size();
    for (Index r = 0; r < rows; ++r) {
      const Index row = same ? groups.number(r) : i.begin + r;
      body(x[row], group);
      for (Index place = groups.first(g); place < groups.last(g); ++place) {
        if (same && place < r) continue;
        const Index column = groups.number(place);
        const auto lane = static_cast<std::size_t>(place - groups.first(g));
        visit(row, column, lane);
        if (same && place != r) visit(column, row, lane);
      }
    }
  }
}

// The same for each string with itself.
template <class Body, class Visit>
void for_each_self(const StringSide& side, Range i, const Body& body, const Visit& visit) {
  for (Index a = i.begin; a < i.end; ++a) {
    StringGroups alone(side, {a, a + 1});
    body(side[a], alone.pack(0));
    visit(a);
  }
}

}  // namespace mercer::detail
