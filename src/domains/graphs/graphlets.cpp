// Each kind is first counted as a subgraph, induced or not, by a formula in degrees, triangles and squares; what is in
// larger kinds is then taken off, from the kind with most edges down. How many of one kind are in another is a matter
// of four nodes. After Shervashidze et al., AISTATS 2009, and Ahmed et al., ICDM 2015.
#include "domains/graphs/graphlets.hpp"

#include <algorithm>
#include <vector>

#include "base/at.hpp"

namespace mercer {

namespace {

// 64 bits of digits: all sets of four among a hundred thousand nodes are counted exactly.
using Count = long double;

Count choose2(Count n) { return n * (n - 1) / 2; }
Count choose3(Count n) { return n * (n - 1) * (n - 2) / 6; }
Count choose4(Count n) { return n * (n - 1) / 2 * ((n - 2) * (n - 3)) / 12; }

// The nodes that both lists have, which are increasing, but i and j themselves.
void common(std::span<const std::int32_t> a, std::span<const std::int32_t> b, Index i, Index j,
            std::vector<std::int32_t>& out) {
  out.clear();
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  std::erase_if(out, [&](std::int32_t node) { return node == i || node == j; });
}

// Sums over nodes, edges and triangles.
struct Sums {
  Count nodes, edges = 0, wedges = 0, stars = 0, paths = 0;  // paths of 4, and triangles walked through, 3 each
  Count triangles = 0, tails = 0, chords = 0, squares = 0, cliques = 0;
};

std::vector<Index> degrees_of(const Graph& g) {
  std::vector<Index> out(at(g.nodes()));
  for (Index i = 0; i < g.nodes(); ++i) {
    for (const std::int32_t j : g.neighbours(i)) out[at(i)] += j != i;
  }
  return out;
}

Sums sums_of(const Graph& g, bool of_four) {
  const std::vector<Index> degrees = degrees_of(g);
  const auto degree = [&](Index i) { return static_cast<Count>(degrees[at(i)]); };
  Sums s{.nodes = static_cast<Count>(g.nodes())};
  std::vector<std::int32_t> both, inner;
  for (Index i = 0; i < g.nodes(); ++i) {
    s.wedges += choose2(degree(i));
    s.stars += choose3(degree(i));
    for (const std::int32_t j : g.neighbours(i)) {
      if (j <= i) continue;
      s.edges += 1;
      s.paths += (degree(i) - 1) * (degree(j) - 1);
      common(g.neighbours(i), g.neighbours(j), i, j, both);
      s.chords += choose2(static_cast<Count>(both.size()));
      for (const std::int32_t k : both) {
        if (k <= j) continue;  // each triangle once
        s.triangles += 1;
        s.tails += degree(i) + degree(j) + degree(k) - 6;
        if (!of_four) continue;
        common(both, g.neighbours(k), i, k, inner);
        s.cliques += static_cast<Count>(inner.end() - std::upper_bound(inner.begin(), inner.end(), k));
      }
    }
  }
  if (!of_four) return s;
  // Squares, each at its last corner in the order of degrees, by the corner opposite to it: nodes of many edges are
  // then not walked through (Chiba & Nishizeki 1985).
  const auto before = [&](Index i, Index j) { return std::pair(degrees[at(i)], i) < std::pair(degrees[at(j)], j); };
  std::vector<Index> walks(at(g.nodes()));
  for (Index last = 0; last < g.nodes(); ++last) {
    const auto each_opposite = [&](auto visit) {
      for (const std::int32_t middle : g.neighbours(last)) {
        if (!before(middle, last)) continue;
        for (const std::int32_t opposite : g.neighbours(middle)) {
          if (opposite != middle && before(opposite, last)) visit(walks[at(opposite)]);
        }
      }
    };
    each_opposite([](Index& walk) { ++walk; });
    each_opposite([&](Index& walk) {
      s.squares += choose2(static_cast<Count>(walk));
      walk = 0;
    });
  }
  return s;
}

}  // namespace

std::array<double, 4> graphlets_of_3(const Graph& g) {
  const Sums s = sums_of(g, false);
  const Count triangle = s.triangles, path = s.wedges - 3 * triangle;
  const Count edge = s.edges * (s.nodes - 2) - 2 * path - 3 * triangle;
  const Count none = choose3(s.nodes) - edge - path - triangle;
  return {static_cast<double>(none), static_cast<double>(edge), static_cast<double>(path),
          static_cast<double>(triangle)};
}

std::array<double, 11> graphlets_of_4(const Graph& g) {
  const Sums s = sums_of(g, true);
  const Count all = s.cliques;
  const Count chord = s.chords - 6 * all;
  const Count ring = s.squares - chord - 3 * all;
  const Count tail = s.tails - 4 * chord - 12 * all;
  const Count path = s.paths - 3 * s.triangles - 2 * tail - 4 * ring - 6 * chord - 12 * all;
  const Count star = s.stars - tail - 2 * chord - 4 * all;
  const Count triangle = s.triangles * (s.nodes - 3) - tail - 2 * chord - 4 * all;
  const Count wedge =
      s.wedges * (s.nodes - 3) - 3 * triangle - 3 * star - 2 * path - 5 * tail - 4 * ring - 8 * chord - 12 * all;
  const Count apart = choose2(s.edges) - s.wedges - path - tail - 2 * ring - 2 * chord - 3 * all;
  const Count edge = s.edges * choose2(s.nodes - 2) - 2 * apart - 2 * wedge - 3 * (triangle + star + path) -
                     4 * (tail + ring) - 5 * chord - 6 * all;
  const Count none = choose4(s.nodes) - edge - apart - wedge - triangle - star - path - tail - ring - chord - all;
  std::array<double, 11> out{};
  const Count found[] = {none, edge, apart, wedge, triangle, star, path, tail, ring, chord, all};
  std::transform(std::begin(found), std::end(found), out.begin(), [](Count c) { return static_cast<double>(c); });
  return out;
}

}  // namespace mercer
