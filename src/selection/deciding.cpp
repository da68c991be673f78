#include "selection/deciding.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "points/streamed.hpp"
#include "selection/held_out.hpp"
#include "state_space/line.hpp"

namespace mercer::detail {

namespace {

constexpr Index kWellDivided = 1000, kMostRepeats = 3;
constexpr std::uint64_t kSeed = 1;
// A sample is this many of the parts that the points are dealt into.
constexpr Index kParts = 20;
constexpr Index kThird = 3, kRuns = 10;

Index classes_in(const Labels& labels, const std::vector<Index>& which) {
  std::vector<bool> seen(labels.classes.size());
  for (const Index i : which) seen[at(labels.of[at(i)])] = true;
  return std::count(seen.begin(), seen.end(), true);
}

// What is looked at again and again is in memory.
Training at_hand(Training sample) {
  const std::optional<Points> x = sample.K.points();
  if (x && is_streamed(*x)) sample.K = gram_for(*sample.K.kernel(), in_memory(*x), {});
  return sample;
}

// Each point that counts, counting once: parts of equal weight would put heavy points into parts of their own, and the
// first parts would hold nothing else.
Training counting_once(const Training& all) {
  Training out = all;
  for (double& weight : out.weights) weight = weight > 0 ? 1 : 0;
  return out;
}

// Runs of neighbours, at equal distances along all lines; none where the kernel has no line.
std::optional<std::vector<Index>> runs_of(const Training& all, Index most) {
  const std::optional<Points> x = all.K.points();
  const auto lines = x && all.K.kernel() ? state_space::along_lines(*all.K.kernel(), *x) : std::nullopt;
  if (!lines) return std::nullopt;
  const std::vector<Index>& order = state_space::placed(*lines, *x)->order;
  const auto n = static_cast<Index>(order.size()), size = std::max<Index>(1, most / kRuns);
  std::vector<Index> out;
  for (Index run = 0; run < kRuns; ++run) {
    const Index first = (n - size) * run / (kRuns - 1);
    out.insert(out.end(), order.begin() + first, order.begin() + first + size);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

Deciding::Deciding(const Training& training) : Deciding(training, first_equal(training.K)) {}

Deciding::Deciding(const Training& training, const std::vector<Index>& equal_to)
    : all_(count_points(training, equal_to)), merged_(merged(training, equal_to)) {
  merged_.start.reset();
}

Deciding::Sample Deciding::sample(Index most, Drawn drawn) const {
  const Index n = all_.different;
  if (n <= most) return {at_hand(merged_), n};
  if (drawn == Drawn::along_lines) {
    if (const std::optional<std::vector<Index>> some = runs_of(merged_, most)) return picked(*some);
  }
  const Index size = std::max<Index>(1, most / kParts), parts = (n + size - 1) / size;
  const std::vector<Fold> dealt = divide(counting_once(merged_), parts, kSeed).folds;
  std::vector<Index> some;
  for (Index p = 0; p < std::min(kParts, parts); ++p) some.insert(some.end(), dealt[at(p)].begin(), dealt[at(p)].end());
  std::sort(some.begin(), some.end());
  return picked(some);
}

Deciding::Sample Deciding::picked(const std::vector<Index>& some) const {
  Sample out{at_hand(part_of(merged_, some))};
  out.training.how = merged_.how;
  out.different = count_points(out.training, first_equal(out.training.K)).different;
  return out;
}

std::vector<Fold> folds_of(const Deciding::Sample& sample, Index folds, Task task) {
  const Index n = sample.different, k = std::min(folds == 1 ? kThird : folds, n);
  if (k < 2) return {};
  const Index repeats = std::clamp(kWellDivided / n, Index{1}, kMostRepeats);
  std::vector<Fold> out = divide(sample.training, k, kSeed, repeats).folds;
  if (folds == 1) {
    for (Index r = 0; r < repeats; ++r) std::swap(out[at(r)], out[at(r * k)]);
    out.resize(at(repeats));
  }
  if (task == Task::classification) {
    std::erase_if(out, [&](const Fold& fold) {
      return classes_in(sample.training.labels, outside(fold, sample.training.K.size())) < 2;
    });
  }
  return out;
}

}  // namespace mercer::detail
