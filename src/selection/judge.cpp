#include "selection/judge.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace mercer::detail {

namespace {

constexpr std::string_view kEvidence = "log_marginal_likelihood";

// How many points are right is a coarse score, and the highest of many is so partly by luck: a candidate counts
// together with its neighbours on the grid, each half as much as itself. (Errors and likelihoods are fine enough, and
// fall off so steeply on one side of the best that neighbours would push it to the other.)
Vector with_neighbours(const Vector& scores, const std::vector<Axis>& axes) {
  constexpr double kShare = 0.5;
  Vector out(scores.size());
  for (std::size_t c = 0; c < scores.size(); ++c) {
    double sum = scores[c], weight = 1;
    std::size_t stride = 1;
    for (std::size_t a = axes.size(); a-- > 0;) {
      const std::size_t size = axes[a].values.size(), place = c / stride % size;
      for (const std::size_t other : {place > 0 ? c - stride : c, place + 1 < size ? c + stride : c}) {
        if (other == c || std::isnan(scores[other])) continue;
        sum += kShare * scores[other];
        weight += kShare;
      }
      stride *= size;
    }
    out[c] = sum / weight;
  }
  return out;
}

}  // namespace

const Criterion& Judge::criterion() const { return detail::criterion(plan_.metric, machine_.name, task_); }

bool Judge::larger_is_better() const {
  return plan_.figure.empty() ? criterion().larger_is_better : plan_.larger_is_better;
}

bool Judge::counts() const { return task_ == Task::classification && larger_is_better() && plan_.figure.empty(); }

std::string Judge::name() const { return plan_.figure.empty() ? criterion().name : plan_.figure; }

bool Judge::clearly_better(double value, double than, Index points) const {
  constexpr double kOfDeviation = 0.5, kOfError = 0.02;
  if (plan_.figure == kEvidence) return value > than;  // which prices what a kernel could have said
  const double margin = counts()
                            ? kOfDeviation * std::sqrt(std::max(0.0, than * (1 - than)) / static_cast<double>(points))
                            : kOfError * std::abs(than);
  return better(value, larger_is_better() ? than + margin : than - margin);
}

Vector Judge::judged(const Vector& scores, const std::vector<Axis>& axes) const {
  return counts() ? with_neighbours(scores, axes) : scores;
}

std::size_t Judge::best_of(const Vector& scores, const Vector& judged) const {
  std::size_t best = judged.size();
  for (std::size_t c = 0; c < judged.size(); ++c) {
    if (!std::isfinite(judged[c]) || !std::isfinite(scores[c])) continue;
    if (best == judged.size() || better(judged[c], judged[best])) best = c;
  }
  return best;
}

}  // namespace mercer::detail
