// A regression of one number on one number: the fit, how sure it is, the points, draws of what else f may be.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/at.hpp"
#include "base/text.hpp"
#include "mercer/machines/gp.hpp"
#include "points/rep.hpp"
#include "report/answers.hpp"
#include "report/charts.hpp"
#include "report/parts.hpp"

namespace mercer::report {

namespace {

constexpr Index kLeastGrid = 256, kMostGrid = 512, kMostPanels = 9;
// Variances on the grid take n^2 for each place, the covariance that draws need as much again.
constexpr Index kMostForFineGrid = 3000, kMostForDraws = 1000, kDraws = 5;

bool predicts_numbers(const Subject& subject) {
  const Model::Parts& parts = subject.model.parts();
  return parts.f.parts().kernel && machine(parts.machine).task_for(parts.settings) == Task::regression;
}

std::string line_name(const Model& model, const Borders& borders) {
  if (borders.quantile) return fmt::format("{} quantile", number(*borders.quantile));
  return model.has_posterior() ? "mean" : "fit";
}

void add_bands(const Vector& mean, const Vector& variance, double noise, Json& bands) {
  for (const bool of_y : {true, false}) {
    for (const auto& [level, half] : {std::pair(0.95, kBand95), std::pair(0.5, kBand50)}) {
      Vector low = mean, high = mean;
      for (std::size_t i = 0; i < mean.size(); ++i) {
        const double deviation = std::sqrt(std::max(0.0, variance[i]) + (of_y ? noise : 0));
        low[i] -= half * deviation;
        high[i] += half * deviation;
      }
      bands.push_back({{"level", level}, {"of", of_y ? "y" : "f"}, {"low", numbers(low)}, {"high", numbers(high)}});
    }
  }
}

void add_draws(const Subject& subject, const Points& grid, Index target, Json& lines) {
  const Model& model = subject.model;
  if (model.expansion().size() > kMostForDraws) return;
  try {
    const Matrix draws = sample_posterior(model, grid, {.draws = kDraws, .seed = 1, .output = target}, subject.how);
    for (Index d = 0; d < draws.cols(); ++d) {
      lines.push_back({{"name", fmt::format("draw {}", d + 1)}, {"y", numbers(column_of(draws, d))}, {"faint", true}});
    }
  } catch (const Error& error) {  // a covariance that is singular beyond help: the bands say it all
    if (error.kind() == ErrorKind::cancelled) throw;
  }
}

struct OnGrid {
  Points points;
  Vector at;
  Matrix mean, variance;  // variance: of f; empty where it is not known
};

OnGrid on_grid(const Subject& subject, const Vector& x) {
  const Index n = subject.x.size();
  const Index count = n > kMostForFineGrid ? kLeastGrid : std::clamp(n, kLeastGrid, kMostGrid);
  const auto& box = subject.box;
  const Vector places = spaced(box ? Extent{(*box)[0], (*box)[1]} : with_margin(extent(x)), count);
  Matrix values(count, 1);
  std::copy(places.begin(), places.end(), values.data());
  const Points grid = like(subject.x, std::move(values));
  OnGrid out{grid, places, subject.model.predict_targets(grid, subject.how), {}};
  if (subject.model.has_posterior()) out.variance = subject.model.variances(grid, subject.how);
  return out;
}

struct Panel {
  Json data;
  std::string finding;
};

Json marks_of(const Vector& x, const Vector& y, const Vector& alpha) {
  const std::vector<Index> which = sample_by(x);
  Json out = {{"x", numbers(picked(x, which))}, {"y", numbers(picked(y, which))}, {"rows", row_numbers(which)}};
  if (!alpha.empty()) out["alpha"] = numbers(picked(alpha, which));
  return out;
}

Panel panel_of(const Subject& subject, const OnGrid& grid, const Vector& x, Index target) {
  const Model& model = subject.model;
  const Vector mean = column_of(grid.mean, target);
  const Borders borders = borders_of(subject);
  Json lines = Json::array({{{"name", line_name(model, borders)}, {"y", numbers(mean)}}});
  Json data = {
      {"x", axis(input_name(subject.x, 0))}, {"y", axis(target_name(model, target))}, {"at", numbers(grid.at)}};
  if (const auto& box = subject.box) {
    data["x"]["domain"] = {(*box)[0], (*box)[1]};
    data["y"]["domain"] = {(*box)[2], (*box)[3]};
  }
  std::vector<std::string> says;
  if (grid.variance.rows() > 0) {
    const double noise = model.posterior().noise.empty() ? 0 : model.posterior().noise[at(target)];
    Json bands = Json::array();
    add_bands(mean, column_of(grid.variance, target), noise, bands);
    add_draws(subject, grid.points, target, lines);
    data["bands"] = std::move(bands);
    says.push_back(fmt::format("Observations vary about f by {} (one standard deviation)", figure(std::sqrt(noise))));
  }
  data["lines"] = std::move(lines);
  const bool has_tube = !borders.tube.empty();
  const double tube = has_tube ? borders.tube[at(target)] : 0;
  if (has_tube) data["tube"] = tube;
  if (subject.y.rows() == 0) return {std::move(data), ""};

  const Vector y = column_of(subject.y, target);
  const Vector fitted = column_of(model.predict_targets(subject.x, subject.how), target);
  const Vector alpha = support_of(subject, target);
  data["points"] = marks_of(x, y, alpha);
  double outside = 0, below = 0, squares = 0, inside = 0;
  const Vector variance =
      grid.variance.rows() > 0 ? column_of(model.variances(subject.x, subject.how), target) : Vector();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double error = y[i] - fitted[i];
    squares += error * error;
    below += error < 0 ? 1 : 0;
    if (has_tube) outside += std::abs(error) > tube * (1 + 1e-9) ? 1 : 0;
    if (!variance.empty()) {
      const double all = variance[i] + model.posterior().noise[at(target)];
      inside += std::abs(error) <= kBand95 * std::sqrt(all) ? 1 : 0;
    }
  }
  const double n = static_cast<double>(y.size());
  if (!variance.empty())
    says.push_back(fmt::format("the 95 % band of y holds {} of the {} points", percent(inside / n), y.size()));
  if (has_tube) {
    says.push_back(
        fmt::format("{} of {} points lie outside the tube of half width {}", outside, y.size(), figure(tube)));
  }
  if (borders.quantile) {
    says.push_back(fmt::format("{} of the points lie below the curve, {} were asked for", percent(below / n),
                               percent(*borders.quantile)));
  }
  if (!alpha.empty()) {
    says.push_back(fmt::format("{} of {} points carry the curve (rings)", model.support().size(), y.size()));
  }
  if (says.empty())
    says.push_back(fmt::format("The curve misses the points by {} (root mean square)", figure(std::sqrt(squares / n))));
  const std::size_t drawn = std::min<std::size_t>(y.size(), kMostPoints);
  std::string finding = fmt::format("{}{}.", fmt::join(says, "; "), sample_words(drawn, y.size()));
  finding[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(finding[0])));
  return {std::move(data), std::move(finding)};
}

}  // namespace

bool curve_applies(const Subject& subject) { return predicts_numbers(subject) && real_columns(subject.x) == 1; }

Exhibit curve_picture(const Subject& subject) {
  const Vector x = column_of(dense_rows(subject.x).values, 0);
  const OnGrid grid = on_grid(subject, x);
  const std::string title = fmt::format("The fit over {}", input_name(subject.x, 0));
  if (grid.mean.cols() == 1) {
    Panel panel = panel_of(subject, grid, x, 0);
    return {"curve", "curve", title, std::move(panel.finding), std::move(panel.data)};
  }
  Json panels = Json::array();
  std::string finding;
  for (Index t = 0; t < std::min(kMostPanels, grid.mean.cols()); ++t) {
    Panel panel = panel_of(subject, grid, x, t);
    panels.push_back(
        {{"title", target_name(subject.model, t)}, {"note", panel.finding}, {"curve", std::move(panel.data)}});
    if (t == 0) finding = fmt::format("{}: {}", target_name(subject.model, 0), panel.finding);
  }
  return {"curve", "curves", title, finding, {{"panels", std::move(panels)}}};
}

// ---- the terms of a sum of kernels ----

bool components_apply(const Subject& subject) {
  const Model& model = subject.model;
  return curve_applies(subject) && model.has_posterior() && model.posterior().kind == Posterior::Kind::process &&
         model.expansion().parts().kernel->str().find('+') != std::string::npos;
}

Exhibit components_picture(const Subject& subject) {
  const Vector x = column_of(dense_rows(subject.x).values, 0);
  const Vector places = spaced(extent(x), std::clamp(subject.x.size(), kLeastGrid, kMostGrid));
  Matrix values(static_cast<Index>(places.size()), 1);
  std::copy(places.begin(), places.end(), values.data());
  const Points grid = like(subject.x, std::move(values));
  Json panels = Json::array();
  std::string largest;
  double most = -1;
  for (const Component& part : components(subject.model, grid, subject.how)) {
    const Vector mean = column_of(part.mean, 0), variance = column_of(part.variance, 0);
    Vector low = mean, high = mean;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const double half = kBand95 * std::sqrt(std::max(0.0, variance[i]));
      low[i] -= half;
      high[i] += half;
    }
    const Extent range = extent(mean);
    const std::string name = part.kernel ? part.kernel->str() : "mean function";
    if (part.kernel && range.high - range.low > most) {
      most = range.high - range.low;
      largest = name;
    }
    Json curve = {
        {"x", axis(input_name(subject.x, 0))},
        {"y", axis(target_name(subject.model, 0))},
        {"at", numbers(places)},
        {"lines", Json::array({{{"name", "mean"}, {"y", numbers(mean)}}})},
        {"bands", Json::array({{{"level", 0.95}, {"of", "f"}, {"low", numbers(low)}, {"high", numbers(high)}}})}};
    panels.push_back({{"title", name},
                      {"note", fmt::format("from {} to {}", figure(range.low), figure(range.high))},
                      {"curve", std::move(curve)}});
  }
  const std::size_t count = panels.size();
  return {"components",
          "curves",
          "What each term of the kernel contributes",
          fmt::format("f is the sum of {} parts; the one that moves most is {}, by {}.", count, largest, figure(most)),
          {{"panels", std::move(panels)}}};
}

}  // namespace mercer::report
