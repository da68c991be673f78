// Dividing a training set into folds.
#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <tuple>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "mercer/tune.hpp"
#include "model/training.hpp"
#include "selection/equal_points.hpp"

namespace mercer {

namespace {

// std::shuffle may differ between libraries; the same seed must mean the same folds everywhere.
template <class T>
void shuffle(std::vector<T>& list, std::mt19937_64& engine) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[engine() % i]);
}

// Points that stay together.
struct Group {
  std::vector<Index> members;
  double weight = 1;
};

// Deals out the groups of each class, heavy ones first, to the fold that has least of the class, then least of all. Of
// groups that weigh the same that is one fold after the other, going on where the last class ended. Groups without
// weight come last and change nothing for the others.
std::vector<Fold> deal(std::vector<std::vector<Group>> classes, Index k, std::uint64_t seed, Index repeats) {
  Index n = 0;
  std::vector<Group> weightless;
  for (std::vector<Group>& groups : classes) {
    std::erase_if(groups, [&](Group& group) {
      if (group.weight > 0) return false;
      weightless.push_back(std::move(group));
      return true;
    });
    n += static_cast<Index>(groups.size());
  }
  if (k < 2 || k > n) fail(ErrorKind::usage, "folds: {} folds of {} points; take from 2 to {}", k, n, n);
  if (repeats < 1) fail(ErrorKind::usage, "folds: {} repeats; take 1 or more", repeats);
  std::mt19937_64 engine(seed);
  std::vector<Fold> out;
  for (Index repeat = 0; repeat < repeats; ++repeat) {
    std::vector<Fold> some(at(k));
    Vector total(at(k));
    const auto give = [&](const Group& group, Index fold) {
      some[at(fold)].insert(some[at(fold)].end(), group.members.begin(), group.members.end());
      total[at(fold)] += group.weight;
    };
    for (std::vector<Group>& groups : classes) {
      shuffle(groups, engine);
      std::stable_sort(groups.begin(), groups.end(),
                       [](const Group& a, const Group& b) { return a.weight > b.weight; });
      using Place = std::tuple<double, double, Index>;  // of the class, of all, the fold
      std::priority_queue<Place, std::vector<Place>, std::greater<>> least;
      for (Index fold = 0; fold < k; ++fold) least.emplace(0, total[at(fold)], fold);
      for (const Group& group : groups) {
        const auto [of_class, of_all, fold] = least.top();
        least.pop();
        give(group, fold);
        least.emplace(of_class + group.weight, total[at(fold)], fold);
      }
    }
    for (std::size_t g = 0; g < weightless.size(); ++g) give(weightless[g], static_cast<Index>(g) % k);
    for (Fold& fold : some) {
      std::sort(fold.begin(), fold.end());
      out.push_back(std::move(fold));
    }
  }
  return out;
}

std::vector<std::vector<Group>> alone(const std::vector<Index>& class_of, std::size_t classes) {
  std::vector<std::vector<Group>> out(classes);
  for (std::size_t i = 0; i < class_of.size(); ++i) out[at(class_of[i])].push_back({{static_cast<Index>(i)}});
  return out;
}

// Equal points together, in the class of most of their weight.
std::vector<std::vector<Group>> together(const Training& training, const std::vector<Index>& equal_to) {
  const Vector weights = detail::weights_of(training);
  const bool classes = training.labels.size() > 0;
  std::vector<std::vector<Index>> members(equal_to.size());
  for (std::size_t i = 0; i < equal_to.size(); ++i) members[at(equal_to[i])].push_back(static_cast<Index>(i));
  std::vector<std::vector<Group>> out(classes ? training.labels.classes.size() : 1);
  for (std::vector<Index>& group : members) {
    if (group.empty()) continue;
    std::map<Index, double> of_class;
    double weight = 0;
    for (const Index i : group) {
      weight += weights[at(i)];
      of_class[classes ? training.labels.of[at(i)] : 0] += weights[at(i)];
    }
    const auto most = std::max_element(of_class.begin(), of_class.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    out[at(most->first)].push_back({std::move(group), weight});
  }
  return out;
}

}  // namespace

std::vector<Fold> random_folds(Index n, Index k, std::uint64_t seed, Index repeats) {
  return deal(alone(std::vector<Index>(at(n), 0), 1), k, seed, repeats);
}

std::vector<Fold> stratified_folds(const Labels& labels, Index k, std::uint64_t seed, Index repeats) {
  return deal(alone(labels.of, labels.classes.size()), k, seed, repeats);
}

Division divide(const Training& training, Index k, std::uint64_t seed, Index repeats) {
  const std::vector<Index> equal_to = detail::first_equal(training.K);
  const detail::Counted counted = detail::count_points(training, equal_to);
  if (counted.some_equal() && k > counted.different) {
    fail(ErrorKind::usage,
         "folds: {} folds of {} points, of which {} are different: equal points go to one fold; take from 2 to {}", k,
         counted.points, counted.different, counted.different);
  }
  Division out{deal(together(training, equal_to), k, seed, repeats), {}};
  if (counted.some_equal())
    out.remark = fmt::format(
        "of {} points {} are different; equal ones are in one fold, so that none is held out while its twin is fitted "
        "to",
        counted.points, counted.different);
  return out;
}

Index points_split(const Training& training, const std::vector<Fold>& folds) {
  const std::vector<Index> equal_to = detail::first_equal(training.K);
  std::vector<char> split(equal_to.size(), 0);
  for (const Fold& fold : folds) {
    std::vector<char> held(equal_to.size(), 0);
    for (const Index i : fold) held[at(i)] = 1;
    std::vector<char> seen(equal_to.size(), 0);  // of the first point: whether one is fitted to
    for (const Index i : detail::weighted_points(training)) {
      if (held[at(i)] == 0) seen[at(equal_to[at(i)])] = 1;
    }
    for (const Index i : fold) split[at(i)] |= seen[at(equal_to[at(i)])];
  }
  return std::count(split.begin(), split.end(), 1);
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
