// How well scores rank the classes: ROC and precision-recall curves, cut-offs, densities; and whether probabilities are
// what they say.
#include "report/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/kde.hpp"
#include "mercer/metrics.hpp"
#include "report/answers.hpp"
#include "report/charts.hpp"
#include "report/checks.hpp"
#include "report/parts.hpp"

namespace mercer::report {

namespace {

constexpr std::uint64_t kResamples = 200;
constexpr std::size_t kMostCorners = 250;  // of a curve
constexpr Index kMostCuts = 2000, kMostClasses = 10;

// A class against the others.
struct Side {
  Index number;
  std::string name;
  Vector score;
  std::vector<bool> positive;
  double share = 0;
};

std::vector<Side> sides_of(const Subject& subject, const Matrix& scores) {
  const Labels& truth = subject.labels;
  std::vector<Side> out;
  for (const Index c : classes_shown(subject)) {
    if (c >= scores.cols()) continue;
    Side side{c, truth.classes[at(c)], column_of(scores, c), {}};
    for (const Index of : truth.of) side.positive.push_back(of == c);
    if (!all_finite(side.score)) fail(ErrorKind::numeric, "report: some scores are not finite numbers");
    side.share = mean_of(Vector(side.positive.begin(), side.positive.end()));
    out.push_back(std::move(side));
  }
  if (out.empty())
    fail(ErrorKind::data, "report: every point is of one class; it takes two to rank one above the other");
  return out;
}

// Corners of a curve to draw: all, or evenly chosen ones with both ends.
std::vector<std::size_t> corners(std::size_t count) {
  std::vector<std::size_t> out;
  const std::size_t drawn = std::min(count, kMostCorners);
  for (std::size_t i = 0; i < drawn; ++i) out.push_back(drawn == 1 ? 0 : i * (count - 1) / (drawn - 1));
  return out;
}

struct Bands {
  Vector low, high;
  Extent area;
};

template <class Area, class At>
Bands bootstrap(const Ranking& ranking, const Vector& x, Area area, At at_x) {
  std::vector<Vector> values(x.size());
  Vector areas;
  for (std::uint64_t b = 1; b <= kResamples; ++b) {
    const Counted c = ranking.resampled(b);
    areas.push_back(area(c));
    const Vector y = at_x(c, x);
    for (std::size_t i = 0; i < x.size(); ++i) values[i].push_back(y[i]);
  }
  Bands out;
  for (const Vector& v : values) {
    out.low.push_back(quantile(v, 0.025));
    out.high.push_back(quantile(v, 0.975));
  }
  out.area = {quantile(areas, 0.025), quantile(areas, 0.975)};
  return out;
}

Json curve_of(const std::string& name, const Vector& x, const Vector& y, const Vector& cut, double area,
              const Bands& bands) {
  return {{"name", name},
          {"x", numbers(x)},
          {"y", numbers(y)},
          {"low", numbers(bands.low)},
          {"high", numbers(bands.high)},
          {"area", area},
          {"area_low", bands.area.low},
          {"area_high", bands.area.high},
          {"cut", numbers(cut)}};
}

// "of b is 0.93 (95 %: 0.91 to 0.95)", for each curve.
std::string areas_in_words(const Json& curves) {
  std::vector<std::string> out;
  for (const Json& curve : curves) {
    out.push_back(fmt::format("of {} is {:.3f} (95 %: {:.3f} to {:.3f})", curve["name"].get<std::string>(),
                              curve["area"].get<double>(), curve["area_low"].get<double>(),
                              curve["area_high"].get<double>()));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

bool ranking_applies(const Subject& subject) {
  if (!is_classification(subject)) return false;
  const auto& of = subject.labels.of;
  return std::any_of(of.begin(), of.end(), [&](Index c) { return c != of.front(); });
}

bool cutoff_applies(const Subject& subject) { return ranking_applies(subject) && subject.model.classes().size() == 2; }

bool reliability_applies(const Subject& subject) {
  return ranking_applies(subject) && subject.model.has_probabilities();
}

std::vector<Index> classes_shown(const Subject& subject) {
  const auto known = static_cast<Index>(subject.model.classes().size());
  const std::vector<Index>& of = subject.labels.of;
  std::vector<Index> out;
  for (Index c = known == 2 ? 1 : 0; c < std::min(known, kMostClasses); ++c) {
    const auto hits = std::count(of.begin(), of.end(), c);
    if (hits > 0 && hits < subject.labels.size()) out.push_back(c);
  }
  return out;
}

Exhibit roc_picture(const Subject& subject) {
  const Answers& found = answers(subject);
  Json curves = Json::array();
  for (const Side& side : sides_of(subject, found.said.ranking())) {
    const Ranking ranking(side.score, side.positive);
    const Counted all = ranking.counted();
    Vector x = {0}, y = {0}, cut = {std::numeric_limits<double>::infinity()};
    for (const std::size_t i : corners(all.tp.size())) {
      x.push_back(all.fp[i] / all.negatives);
      y.push_back(all.tp[i] / all.positives);
      cut.push_back(ranking.cuts()[i]);
    }
    curves.push_back(curve_of(side.name, x, y, cut, roc_area(all), bootstrap(ranking, x, roc_area, roc_at)));
  }
  const std::string words = areas_in_words(curves);
  return {"roc",
          "roc",
          "ROC: hits against false alarms",
          fmt::format("The area under the curve {} ({}).", words, found.words),
          {{"curves", std::move(curves)}}};
}

Exhibit precision_recall_picture(const Subject& subject) {
  const Answers& found = answers(subject);
  Json curves = Json::array(), base = Json::array();
  for (const Side& side : sides_of(subject, found.said.ranking())) {
    const Ranking ranking(side.score, side.positive);
    const Counted all = ranking.counted();
    Vector x, y, cut;
    for (const std::size_t i : corners(all.tp.size())) {
      x.push_back(all.tp[i] / all.positives);
      y.push_back(all.tp[i] / (all.tp[i] + all.fp[i]));
      cut.push_back(ranking.cuts()[i]);
    }
    curves.push_back(
        curve_of(side.name, x, y, cut, average_precision(all), bootstrap(ranking, x, average_precision, precision_at)));
    base.push_back(side.share);
  }
  const std::string words = areas_in_words(curves);
  return {"precision_recall",
          "precision_recall",
          "Precision and recall",
          fmt::format("The average precision {} ({}).", words, found.words),
          {{"curves", std::move(curves)}, {"base", std::move(base)}}};
}

Exhibit cutoff_picture(const Subject& subject) {
  const Answers& found = answers(subject);
  const bool sure = found.said.probabilities.rows() > 0;
  const Side side = sides_of(subject, found.said.ranking()).front();
  const Ranking ranking(side.score, side.positive);
  const Counted all = ranking.counted();
  const std::vector<Index> which = sample_by(ranking.cuts(), kMostCuts);
  std::size_t best = 0;
  for (std::size_t i = 0; i < all.tp.size(); ++i) {
    if (all.tp[i] - all.fp[i] > all.tp[best] - all.fp[best]) best = i;
  }
  const double right = all.tp[best] + all.negatives - all.fp[best];
  return {"cutoff",
          "cutoff",
          "Where to cut",
          fmt::format("Cut at {}, most points are right: {} of {}, with {} of {} {} found and {} false alarms ({}).",
                      figure(ranking.cuts()[best]), right, side.score.size(), all.tp[best], all.positives, side.name,
                      all.fp[best], found.words),
          {{"positive", side.name},
           {"score", sure ? "probability" : "score"},
           {"cut", numbers(picked(ranking.cuts(), which))},
           {"tp", numbers(picked(all.tp, which))},
           {"fp", numbers(picked(all.fp, which))},
           {"positives", static_cast<Index>(all.positives)},
           {"negatives", static_cast<Index>(all.negatives)}}};
}

Exhibit reliability_picture(const Subject& subject) {
  const Answers& found = answers(subject);
  const Matrix& p = found.said.probabilities;
  const std::vector<Index> classes = classes_shown(subject);
  const ProbabilityCheck check = check_probabilities(p, subject.labels.of, classes);
  Json curves = Json::array();
  Vector all;
  for (const Index c : classes) {
    Vector predicted, observed, low, high;
    std::vector<Index> count;
    for (const Bin& bin : check.bins) {
      if (bin.cls != c) continue;
      const Extent interval = wilson(bin.hits, bin.count);
      predicted.push_back(bin.sum / bin.count);
      observed.push_back(bin.hits / bin.count);
      low.push_back(interval.low);
      high.push_back(interval.high);
      count.push_back(static_cast<Index>(bin.count));
    }
    for (Index i = 0; i < p.rows(); ++i) all.push_back(std::clamp(p(i, c), 0.0, 1.0));
    curves.push_back({{"name", subject.labels.classes[at(c)]},
                      {"predicted", numbers(predicted)},
                      {"observed", numbers(observed)},
                      {"low", numbers(low)},
                      {"high", numbers(high)},
                      {"count", count}});
  }
  const Bin& worst = check.bins[check.worst];
  const std::string finding =
      check.chance <= kOverallLevel
          ? fmt::format("Where the model says {} for {}, it is {}, which chance does not explain",
                        percent(worst.sum / worst.count), subject.labels.classes[at(worst.cls)],
                        percent(worst.hits / worst.count))
          : std::string("Probabilities are what happens, as far as these points can tell");
  const std::string tested =
      p.rows() < kFewestChecked
          ? fmt::format("fewer than {} points are not tested", kFewestChecked)
          : fmt::format("one test of all bins at the level {}: chance {:.2g}", percent(kOverallLevel), check.chance);
  return {
      "reliability",
      "reliability",
      "Are the probabilities right?",
      fmt::format("{} ({}; {}; Brier score {}).", finding, found.words, tested, figure(brier(subject.labels.of, p))),
      {{"curves", std::move(curves)}, {"histogram", to_json(counts_in(all, {0, 1}, 20))}}};
}

Exhibit densities_picture(const Subject& subject) {
  constexpr Index kGrid = 200, kMost = 2000;
  const Answers& found = answers(subject);
  const Matrix& scores = found.said.class_scores;
  const Labels& truth = subject.labels;
  const bool two = subject.model.classes().size() == 2;
  // Of several classes, how far the true one is ahead of the best other.
  Vector x;
  for (Index i = 0; i < scores.rows(); ++i) {
    double other = -std::numeric_limits<double>::infinity();
    const Index of = truth.of[at(i)];
    for (Index c = 0; c < scores.cols(); ++c) {
      if (c != of) other = std::max(other, scores(i, c));
    }
    const double own = of < scores.cols() ? scores(i, of) : 0;
    x.push_back(two ? scores(i, 1) : own - other);
  }
  if (!all_finite(x)) fail(ErrorKind::numeric, "report: some scores are not finite numbers");
  const Extent range = with_margin(extent(x), 0.1);
  const Vector grid = spaced(range, kGrid);
  Matrix places(kGrid, 1);
  std::copy(grid.begin(), grid.end(), places.data());
  const Points there = rows(std::move(places));
  Json lines = Json::array();
  std::vector<std::string> says;
  for (Index c = 0; c < std::min(static_cast<Index>(truth.classes.size()), kMostClasses); ++c) {
    Vector own;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (truth.of[i] == c) own.push_back(x[i]);
    }
    if (own.empty()) continue;
    says.push_back(fmt::format("{} at {}", truth.classes[at(c)], figure(quantile(own, 0.5))));
    own = picked(own, sample_by(own, kMost));
    // Silverman's rule; points that are all in one place get a hundredth of the picture.
    const double mean = mean_of(own), quartiles = quantile(own, 0.75) - quantile(own, 0.25);
    double squares = 0;
    for (const double v : own) squares += (v - mean) * (v - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(own.size()));
    const double spread = quartiles > 0 ? std::min(deviation, quartiles / 1.349) : deviation;
    const double width =
        std::max(0.9 * spread * std::pow(static_cast<double>(own.size()), -0.2), (range.high - range.low) / 100);
    Matrix column(static_cast<Index>(own.size()), 1);
    std::copy(own.begin(), own.end(), column.data());
    const Model density = KernelDensity{}.fit(lazy(rbf(width), rows(std::move(column))));
    lines.push_back({{"name", truth.classes[at(c)]},
                     {"y", numbers(column_of(density.scores(there, subject.how), 0))},
                     {"group", c}});
  }
  const Reading reading = subject.model.parts().reading;
  const bool shares = subject.model.parts().calibration.kind == Calibration::Kind::shares;
  Json data = {
      {"x", axis(two ? fmt::format("score of {}", truth.classes[1]) : "score of the class less the best other")},
      {"at", numbers(grid)},
      {"lines", std::move(lines)}};
  if (!two || reading == Reading::binary) data["cut"] = 0;
  if (two && shares) data["cut"] = 0.5;
  return {"densities", "densities", "Scores of each class",
          fmt::format("The middle scores: {} ({}).", fmt::join(says, ", "), found.words), std::move(data)};
}

}  // namespace mercer::report
