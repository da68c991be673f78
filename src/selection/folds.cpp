// Dividing a training set into folds.
#include <algorithm>
#include <map>
#include <random>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "mercer/tune.hpp"

namespace mercer {

namespace {

// std::shuffle may differ between libraries; the same seed must mean the same folds everywhere.
void shuffle(std::vector<Index>& list, std::mt19937_64& engine) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[engine() % i]);
}

// Deals out the members of each group in turn, going on where the last group ended.
std::vector<Fold> deal(std::vector<std::vector<Index>> groups, Index k, std::uint64_t seed, Index repeats) {
  Index n = 0;
  for (const auto& group : groups) n += static_cast<Index>(group.size());
  if (k < 2 || k > n) fail(ErrorKind::usage, "folds: {} folds of {} points; take from 2 to {}", k, n, n);
  if (repeats < 1) fail(ErrorKind::usage, "folds: {} repeats; take 1 or more", repeats);
  std::mt19937_64 engine(seed);
  std::vector<Fold> out;
  for (Index repeat = 0; repeat < repeats; ++repeat) {
    std::vector<Fold> some(at(k));
    std::size_t next = 0;
    for (std::vector<Index>& group : groups) {
      shuffle(group, engine);
      for (const Index i : group) some[next++ % some.size()].push_back(i);
    }
    for (Fold& fold : some) {
      std::sort(fold.begin(), fold.end());
      out.push_back(std::move(fold));
    }
  }
  return out;
}

}  // namespace

std::vector<Fold> random_folds(Index n, Index k, std::uint64_t seed, Index repeats) {
  std::vector<Index> all(at(n));
  for (Index i = 0; i < n; ++i) all[at(i)] = i;
  return deal({std::move(all)}, k, seed, repeats);
}

std::vector<Fold> stratified_folds(const Labels& labels, Index k, std::uint64_t seed, Index repeats) {
  std::vector<std::vector<Index>> members(labels.classes.size());
  for (Index i = 0; i < labels.size(); ++i) members[at(labels.of[at(i)])].push_back(i);
  return deal(std::move(members), k, seed, repeats);
}

std::vector<Fold> given_folds(std::span<const std::string> names) {
  const Labels groups = Labels::from(names);
  if (groups.classes.size() < 2) {
    fail(ErrorKind::usage, "folds: all points are in one fold; nothing is left to fit without it");
  }
  std::vector<Fold> out(groups.classes.size());
  for (Index i = 0; i < groups.size(); ++i) out[at(groups.of[at(i)])].push_back(i);
  return out;
}

}  // namespace mercer
