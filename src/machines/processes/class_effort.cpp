#include "machines/processes/class_effort.hpp"

#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "machines/processes/class_evaluation.hpp"
#include "machines/processes/learn.hpp"
#include "machines/processes/regression/levels.hpp"
#include "model/needs.hpp"

namespace mercer::detail {

namespace {

// Some of the points are a level of learning up to this share of all.
constexpr Index kWorthCentres = 3;

// As a rule: steps of a start on some of the points, evaluations of all, and with inducing points.
constexpr double kScreened = 25, kEvaluations = 30, kInducingEvaluations = 30;
// n m numbers at a time: the features, those that were factored, and what all of them tell of each.
constexpr double kFeatures = 3;

// Of n m^2 flops, for C - 1 contrasts or one latent function: features, A and its derivatives, those by k.
double per_evaluation(double contrasts) { return 1.5 * contrasts * contrasts + contrasts * (contrasts + 1) + 5; }

struct Inducing {
  double n, contrasts, evaluations;
  Inducing(const GaussianProcessClassifier& config, const Extent& extent)
      : n(static_cast<double>(extent.weighted)),
        contrasts(likelihood_for(config.link, extent.outputs).coupled() ? static_cast<double>(extent.outputs - 1) : 1),
        evaluations(config.learn ? kInducingEvaluations : 2) {}

  double flops(double m) const {
    const double all = contrasts * m;
    return evaluations * (per_evaluation(contrasts) * n * m * m + 2 * all * all * all);
  }
  double bytes(double m) const { return sizeof(double) * (kFeatures * n * m + 6 * contrasts * contrasts * m * m); }
};

Needs needs_by_inducing(const GaussianProcessClassifier& config, const Extent& extent) {
  const Inducing cost(config, extent);
  const auto m = static_cast<double>(config.inducing);
  const auto looked_at = static_cast<double>(std::min(extent.weighted, most_looked_at(config.inducing)));
  const auto numbers_of_a_row = static_cast<double>(8 * extent.outputs + 2 * extent.dimension + 8);
  return {.form = Form::lazy,
          .solver = config.learn ? "inducing points at each step of learning" : "inducing points",
          .size = extent.weighted,
          .beside = {{"what inducing points know", cost.bytes(m)},
                     {"choosing them", sizeof(double) * m * (looked_at + m)},
                     {"vectors", sizeof(double) * (numbers_of_a_row + cost.contrasts * cost.contrasts) * cost.n}},
          .pairs = 3 * cost.evaluations * cost.n * m + m * looked_at,
          .flops = cost.flops(m) + 3 * m * m * looked_at,
          .why = fmt::format("{} inducing points stand for all", config.inducing),
          .approximates =
              fmt::format("K by what {} inducing points say of it, K(X, Z) K(Z, Z)^-1 K(Z, X)", config.inducing)};
}

}  // namespace

// Two stand for what centres take.
double class_matrices(bool coupled, Index classes) { return coupled ? static_cast<double>(classes + 6) : 2; }

Needs class_needs(const GaussianProcessClassifier& config, const Extent& extent) {
  if (config.inducing > 0) return needs_by_inducing(config, extent);
  const Index n = extent.weighted, classes = extent.outputs;
  const bool coupled = likelihood_for(config.link, classes).coupled();
  // As a rule; where learning goes over centres, few are of all points, and more points never take less.
  const bool on_centres = coupled && n > config.screen && config.starts > 1;
  const double share = static_cast<double>(config.screen) / static_cast<double>(n);
  const double evaluations = on_centres ? std::max(4.0, kEvaluations * std::pow(share, 1.9)) : kEvaluations;
  const double cubes = coupled ? 6 * static_cast<double>(classes) : 2;  // of an evaluation
  Needs out = by_all_pairs(n, class_matrices(coupled, classes), "Newton's method with Cholesky",
                           cubes * (config.learn ? evaluations : 1));
  if (!config.learn) return out;
  out.solver += " at each step of learning";
  out.pairs *= 2 * evaluations;
  const auto some = static_cast<double>(std::min(n, config.screen)), starts = static_cast<double>(config.starts);
  if (config.starts > 1) out.flops += cubes * starts * kScreened * some * some * some;
  return out;
}

std::optional<Shortcut> class_shortcut(const GaussianProcessClassifier& config, const Settings& given,
                                       const Extent& extent, const Wishes& wishes) {
  if (!extent.plain || extent.numbers || extent.in_memory || given.contains("inducing")) return std::nullopt;
  const Needs all = class_needs(config, extent);
  const double seconds = all.flops / wishes.rates.flops, bytes = all.squares() * all.matrices;
  const bool fits = bytes <= extent.share();
  if (fits && seconds <= wishes.seconds) return std::nullopt;
  constexpr Index kLeast = 50, kMost = 1000, kStep = 50;
  Index m = std::min(kMost, extent.weighted / 2);  // so that folds have them too
  if (m < kLeast) return std::nullopt;
  const Inducing cost(config, extent);
  const auto too_much = [&] {
    const auto count = static_cast<double>(m);
    return cost.flops(count) > wishes.seconds * wishes.rates.flops || cost.bytes(count) > extent.share();
  };
  while (m > kLeast && too_much()) m = std::max(kLeast, (m - 1) / kStep * kStep);
  return Shortcut{{{"inducing", std::to_string(m)}},
                  fmt::format("{} inducing points stand for all {}, because {}; `inducing` and `time` decide otherwise",
                              m, extent.weighted,
                              fits ? fmt::format("all would take about {}", about(seconds))
                                   : fmt::format("the numbers of all pairs would need {}", in_bytes(bytes)))};
}

std::vector<ClassLevel> class_levels(const GaussianProcessClassifier& config, Index n, bool coupled, bool kernel) {
  using By = ClassLevel::By;
  const bool inducing = config.inducing > 0, several = config.starts > 1;
  std::vector<ClassLevel> out;
  if (inducing && !several) return {{n, By::inducing}};
  const Index most = inducing ? std::min(n, coupled ? config.screen : kAllPairs) : n;
  for (const Index points : level_sizes(most, several ? config.screen : n)) {
    const bool on_centres = coupled && kernel && !out.empty() && !inducing;
    if (on_centres && points < n && kWorthCentres * points > n) continue;
    if (on_centres && points == n) out.push_back({n, By::centres});
    out.push_back({points, By::pairs});
  }
  if (!inducing) return out;
  constexpr Index kPart = 4;
  if (n / kPart > 2 * std::max(most, config.inducing)) out.push_back({n / kPart, By::inducing});
  out.push_back({n, By::inducing});
  if (config.inducing < n) out.push_back({n, By::inducing});
  return out;
}

}  // namespace mercer::detail
