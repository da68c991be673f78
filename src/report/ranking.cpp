#include "report/ranking.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "base/random.hpp"

namespace mercer::report {

Ranking::Ranking(VectorView scores, const std::vector<bool>& positive) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  for (const std::size_t i : order) {
    if (cuts_.empty() || scores[i] < cuts_.back()) cuts_.push_back(scores[i]);
    cut_of_.push_back(cuts_.size() - 1);
    positive_.push_back(positive[i]);
  }
}

Counted Ranking::counted(const std::vector<double>& weights) const {
  Counted out{Vector(cuts_.size()), Vector(cuts_.size())};
  for (std::size_t i = 0; i < positive_.size(); ++i) {
    (positive_[i] ? out.tp : out.fp)[cut_of_[i]] += weights.empty() ? 1 : weights[i];
  }
  std::partial_sum(out.tp.begin(), out.tp.end(), out.tp.begin());
  std::partial_sum(out.fp.begin(), out.fp.end(), out.fp.begin());
  out.positives = out.tp.empty() ? 0 : out.tp.back();
  out.negatives = out.fp.empty() ? 0 : out.fp.back();
  return out;
}

Counted Ranking::counted() const { return counted({}); }

Counted Ranking::resampled(std::uint64_t seed) const {
  Random random(seed);
  std::vector<double> weights(positive_.size());
  for (const bool side : {true, false}) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < positive_.size(); ++i) {
      if (positive_[i] == side) members.push_back(i);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      weights[members[at(random.below(static_cast<Index>(members.size())))]] += 1;
    }
  }
  return counted(weights);
}

double roc_area(const Counted& c) {
  double area = 0, tp = 0, fp = 0;
  for (std::size_t i = 0; i < c.tp.size(); ++i) {
    area += (c.fp[i] - fp) * (c.tp[i] + tp) / 2;
    tp = c.tp[i];
    fp = c.fp[i];
  }
  return area / (c.positives * c.negatives);
}

double average_precision(const Counted& c) {
  double sum = 0, tp = 0;
  for (std::size_t i = 0; i < c.tp.size(); ++i) {
    if (c.tp[i] > tp) sum += (c.tp[i] - tp) * c.tp[i] / (c.tp[i] + c.fp[i]);
    tp = c.tp[i];
  }
  return sum / c.positives;
}

Vector roc_at(const Counted& c, VectorView rates) {
  Vector out;
  for (const double rate : rates) {
    // The last cut-off whose rate is not above this one, and the line on to the next.
    const double fp = rate * c.negatives * (1 + 1e-12);
    const auto next = static_cast<std::size_t>(std::upper_bound(c.fp.begin(), c.fp.end(), fp) - c.fp.begin());
    const double tp0 = next > 0 ? c.tp[next - 1] : 0, fp0 = next > 0 ? c.fp[next - 1] : 0;
    double tp = tp0;
    if (next < c.fp.size()) tp += (c.tp[next] - tp0) * std::max(0.0, fp - fp0) / (c.fp[next] - fp0);
    out.push_back(std::min(1.0, tp / c.positives));
  }
  return out;
}

Vector precision_at(const Counted& c, VectorView recalls) {
  Vector out;
  for (const double recall : recalls) {
    const double tp = recall * c.positives * (1 - 1e-12);
    const auto place = std::lower_bound(c.tp.begin(), c.tp.end(), tp);
    const auto i = static_cast<std::size_t>(std::min(place, c.tp.end() - 1) - c.tp.begin());
    out.push_back(c.tp[i] + c.fp[i] > 0 ? c.tp[i] / (c.tp[i] + c.fp[i]) : 1);
  }
  return out;
}

}  // namespace mercer::report
