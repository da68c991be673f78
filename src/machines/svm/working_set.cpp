#include "machines/svm/working_set.hpp"

#include <algorithm>
#include <limits>

#include "base/at.hpp"

namespace mercer::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A variable that violates less than this share of the worst is left for later.
constexpr double kWorthTaking = 0.1;

std::size_t group_of(const DualProblem& p, std::size_t v) { return p.group.empty() ? 0 : p.group[v]; }

struct Candidate {
  double violation;
  Index variable;
  // Among equals, neighbours in the data (which are often alike) are not taken together.
  friend bool operator>(const Candidate& a, const Candidate& b) {
    if (a.violation != b.violation) return a.violation > b.violation;
    const auto scattered = [](Index v) { return static_cast<std::uint32_t>(v) * std::uint32_t{2654435769}; };
    return scattered(a.variable) > scattered(b.variable);
  }
};

void keep_largest(std::vector<Candidate>& list, std::size_t count) {
  if (list.size() > count) {
    std::nth_element(list.begin(), list.begin() + static_cast<Index>(count), list.end(), std::greater<>());
    list.resize(count);
  }
  std::sort(list.begin(), list.end(), std::greater<>());
}

}  // namespace

double WorkingSet::gap(const DualProblem& p, const Vector& b, const Vector& g) {
  ends_ = {Ends{-kInfinity, -kInfinity}, Ends{-kInfinity, -kInfinity}};
  for (std::size_t v = 0; v < b.size(); ++v) {
    Ends& ends = ends_[group_of(p, v)];
    if (b[v] < p.upper[v]) ends.up = std::max(ends.up, -g[v]);
    if (b[v] > p.lower[v]) ends.low = std::max(ends.low, g[v]);
  }
  double worst = 0;
  for (const Ends& ends : ends_) {
    worst = std::max(worst, p.group.empty() ? std::max(ends.up, ends.low) : ends.up + ends.low);
  }
  worst_ = worst;
  return worst;
}

std::vector<Index> WorkingSet::choose(const DualProblem& p, const Vector& b, const Vector& g, Index most) {
  std::vector<char> taken(b.size());
  std::vector<Index> set;
  const auto take = [&](Index v) {
    if (taken[at(v)]) return;
    taken[at(v)] = 1;
    set.push_back(v);
  };
  // Half of the room at most is for those that were moving.
  for (const Index v : last_) {
    if (static_cast<Index>(set.size()) >= most / 2) break;
    if (b[at(v)] > p.lower[at(v)] && b[at(v)] < p.upper[at(v)]) take(v);
  }
  std::vector<Candidate> up, low;
  const double least = std::min(kWorthTaking * worst_, std::numeric_limits<double>::max());  // some exceed it
  for (std::size_t v = 0; v < b.size(); ++v) {
    const Ends& ends = ends_[group_of(p, v)];
    // What a variable violates together with the worst of the other side.
    const double grow = -g[v] + (p.group.empty() ? 0 : ends.low), shrink = g[v] + (p.group.empty() ? 0 : ends.up);
    if (b[v] < p.upper[v] && grow > least) up.push_back({grow, static_cast<Index>(v)});
    if (b[v] > p.lower[v] && shrink > least) low.push_back({shrink, static_cast<Index>(v)});
  }
  keep_largest(up, at(most));
  keep_largest(low, at(most));
  for (std::size_t k = 0; k < std::max(up.size(), low.size()); ++k) {
    if (k < up.size() && static_cast<Index>(set.size()) < most) take(up[k].variable);
    if (k < low.size() && static_cast<Index>(set.size()) < most) take(low[k].variable);
  }
  std::sort(set.begin(), set.end(), [&](Index a, Index c) {
    return group_of(p, at(a)) != group_of(p, at(c)) ? group_of(p, at(a)) < group_of(p, at(c)) : a < c;
  });
  last_ = set;
  return set;
}

std::array<double, 2> WorkingSet::levels(const DualProblem& p, const Vector& b, const Vector& g) const {
  std::array<double, 2> total{}, count{};
  for (std::size_t v = 0; v < b.size(); ++v) {
    if (!(b[v] > p.lower[v] && b[v] < p.upper[v])) continue;
    total[group_of(p, v)] += g[v];
    ++count[group_of(p, v)];
  }
  std::array<double, 2> out{};
  for (std::size_t k = 0; k < 2; ++k) {
    if (count[k] > 0) {
      out[k] = total[k] / count[k];
    } else if (ends_[k].up > -kInfinity && ends_[k].low > -kInfinity) {
      out[k] = (ends_[k].low - ends_[k].up) / 2;
    } else if (ends_[k].up > -kInfinity || ends_[k].low > -kInfinity) {
      out[k] = ends_[k].up > -kInfinity ? -ends_[k].up : ends_[k].low;
    }
  }
  return out;
}

}  // namespace mercer::detail
