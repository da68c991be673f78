// The plane as a classifier or a level set sees it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "report/answers.hpp"
#include "report/charts.hpp"
#include "report/parts.hpp"
#include "report/plane.hpp"

namespace mercer::report {

namespace {

constexpr Index kCells = 100, kLeastCells = 40, kMostColumns = 500;
// Variances cost n^2 a cell: as many cells as take this much work.
constexpr double kWork = 1e9;

bool in_a_plane(const Subject& subject) {
  const Index columns = real_columns(subject.x);
  return columns >= 2 && columns <= kMostColumns && subject.model.expansion().parts().kernel;
}

bool averages(const Model& model) { return model.has_posterior() && model.posterior().likelihood.of_classes(); }

Index cells_for(const Model& model) {
  if (!averages(model)) return kCells;
  const double n = static_cast<double>(std::max<Index>(1, model.expansion().size()));
  return std::clamp(static_cast<Index>(std::sqrt(kWork) / n), kLeastCells, kCells);
}

bool has_margin(const Model& model) {
  const std::string& name = model.parts().machine;
  const auto loss = model.parts().settings.find("loss");
  return name == "svc" || name == "nusvc" ||
         (name == "rrm" && loss != model.parts().settings.end() && loss->second.ends_with("hinge"));
}

Json frame(const Plane& plane, Index cells) {
  const Extent x = plane.x_range(), y = plane.y_range();
  Json out = {{"x", axis(plane.x_name())},
              {"y", axis(plane.y_name())},
              {"nx", cells},
              {"ny", cells},
              {"box", numbers(Vector{x.low, x.high, y.low, y.high})}};
  if (plane.is_slice()) {
    out["plane"] =
        fmt::format("components 1 and 2 of the inputs, the others at their mean; the plane has {} of the variance",
                    percent(plane.share()));
  }
  return out;
}

Json marks(const Plane& plane, const std::vector<Index>& which) {
  return {
      {"x", numbers(picked(plane.x(), which))}, {"y", numbers(picked(plane.y(), which))}, {"rows", row_numbers(which)}};
}

// |alpha| of each point, added up over the outputs.
Vector rings(const Subject& subject) {
  Vector out;
  for (Index t = 0; t < subject.model.expansion().outputs(); ++t) {
    const Vector one = support_of(subject, t);
    if (out.empty())
      out = one;
    else
      std::transform(one.begin(), one.end(), out.begin(), out.begin(), std::plus<>());
  }
  return out;
}

std::string slice_words(const Plane& plane) {
  return plane.is_slice() ? fmt::format(" The plane is a slice through {}, the points are projected on it.",
                                        "the middle of the data")
                          : "";
}

struct Seen {
  std::vector<Index> classes;
  Matrix scores, probabilities;  // of what there is
};

Seen look(const Subject& subject, const Points& x) {
  const Model& model = subject.model;
  Seen out;
  if (averages(model)) {
    out.probabilities = model.probabilities(x, subject.how);
    for (Index i = 0; i < out.probabilities.rows(); ++i) {
      const double* const row = out.probabilities.row(i);
      out.classes.push_back(std::max_element(row, row + out.probabilities.cols()) - row);
    }
    return out;
  }
  out.scores = model.scores(x, subject.how);
  out.classes = model.classes_of(out.scores);
  if (model.has_probabilities()) out.probabilities = model.probabilities_of(out.scores);
  return out;
}

}  // namespace

bool regions_apply(const Subject& subject) { return subject.model.is_classifier() && in_a_plane(subject); }

Exhibit regions_picture(const Subject& subject) {
  const Model& model = subject.model;
  const Plane plane(subject);
  const Index cells = cells_for(model);
  const Seen seen = look(subject, plane.cells(cells, cells));
  const auto classes = static_cast<Index>(model.classes().size());
  Json data = frame(plane, cells);
  data["classes"] = subject.labels.classes.empty() ? model.classes() : subject.labels.classes;
  data["winner"] = bytes(Vector(seen.classes.begin(), seen.classes.end()));
  if (seen.probabilities.rows() > 0) {
    Vector sure;
    for (Index i = 0; i < seen.probabilities.rows(); ++i) {
      const double most = *std::max_element(seen.probabilities.row(i), seen.probabilities.row(i) + classes);
      sure.push_back(
          std::clamp((most * static_cast<double>(classes) - 1) / static_cast<double>(classes - 1), 0.0, 1.0));
    }
    data["sure"] = bytes(sure);
  }
  const bool binary = model.parts().reading == Reading::binary;
  if (binary && seen.scores.rows() > 0) {
    const Vector field = column_of(seen.scores, 0);
    if (!all_finite(field)) fail(ErrorKind::numeric, "report: some scores are not finite numbers");
    data["field"] = numbers(field);
    data["levels"] = Json::array({{{"value", 0}, {"name", "boundary"}}});
    if (has_margin(model)) {
      data["levels"] = {{{"value", -1}, {"name", "margin of " + model.classes()[0]}, {"dash", true}},
                        {{"value", 0}, {"name", "boundary"}},
                        {{"value", 1}, {"name", "margin of " + model.classes()[1]}, {"dash", true}}};
    }
  }
  const bool known = subject.labels.size() > 0;
  const std::vector<Index> here = model.predict_classes(subject.x, subject.how);
  const std::vector<Index> which = sample_by(known ? std::span<const Index>(subject.labels.of) : here);
  Json points = marks(plane, which);
  points["classes"] = data["classes"];
  Json group = Json::array(), wrong = Json::array();
  std::size_t mistakes = 0;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const Index p = which[i];
    group.push_back(known ? subject.labels.of[at(p)] : here[at(p)]);
    if (known && subject.labels.of[at(p)] != here[at(p)]) wrong.push_back(i);
  }
  for (std::size_t i = 0; known && i < here.size(); ++i) mistakes += here[i] != subject.labels.of[i] ? 1 : 0;
  points["group"] = std::move(group);
  if (known) points["wrong"] = std::move(wrong);
  const Vector alpha = rings(subject);
  if (!alpha.empty()) points["alpha"] = numbers(picked(alpha, which));
  data["points"] = std::move(points);
  std::string finding = known ? fmt::format("{} of {} points are on the wrong side", mistakes, here.size())
                              : fmt::format("{} points and where the model puts them", here.size());
  if (!alpha.empty()) finding += fmt::format("; {} of them carry the boundary (rings)", model.support().size());
  finding += sample_words(which.size(), here.size()) + "." + slice_words(plane);
  return {"regions", "regions", "What belongs where", std::move(finding), std::move(data)};
}

// ---- level sets ----

bool levels_apply(const Subject& subject) {
  return subject.model.parts().reading == Reading::novelty && in_a_plane(subject);
}

Exhibit levels_picture(const Subject& subject) {
  const Plane plane(subject);
  const Vector field = column_of(subject.model.scores(plane.cells(kCells, kCells), subject.how), 0);
  const Vector here = column_of(subject.model.scores(subject.x, subject.how), 0);
  if (!all_finite(field) || !all_finite(here)) fail(ErrorKind::numeric, "report: some scores are not finite numbers");
  Json data = frame(plane, kCells);
  data["field"] = numbers(field);
  Json levels = Json::array({{{"value", 0}, {"name", "boundary"}}});
  // Level lines through the points: half of them, and nine tenths, lie further inside.
  for (const double share : {0.5, 0.9}) {
    const double value = quantile(here, 1 - share);
    if (value > 0)
      levels.push_back(
          {{"value", value}, {"name", fmt::format("{:.0f} % of the points", 100 * share)}, {"dash", true}});
  }
  data["levels"] = std::move(levels);
  const std::vector<Index> which = sample_by(here);
  Json points = marks(plane, which), wrong = Json::array();
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (here[at(which[i])] < 0) wrong.push_back(i);
  }
  points["wrong"] = std::move(wrong);
  const Vector alpha = rings(subject);
  if (!alpha.empty()) points["alpha"] = numbers(picked(alpha, which));
  data["points"] = std::move(points);
  const auto outside = std::count_if(here.begin(), here.end(), [](double f) { return f < 0; });
  return {"levels", "regions", "Where the points are, and where they are not",
          fmt::format("{} of {} points lie outside the boundary{}.{}", outside, here.size(),
                      sample_words(which.size(), here.size()), slice_words(plane)),
          std::move(data)};
}

}  // namespace mercer::report
