// What each letter of a string, each node of a graph adds to a score.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "domains/graphs/graphs.hpp"
#include "mercer/distances.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/explain.hpp"
#include "model/feature_weights.hpp"
#include "report/charts.hpp"
#include "report/layout.hpp"
#include "report/matrix_of.hpp"

namespace mercer::report {

namespace {

constexpr Index kMostShown = 6, kMostNodes = 150, kMostLetters = 400, kMostAlike = 3, kMostSearched = 5000;

std::optional<Points> column_of_kind(const Points& x, const std::string& kind, std::string& name) {
  if (x.domain().kind == kind) return x;
  if (x.domain().kind != "table") return std::nullopt;
  for (const std::string& column : x.column_names()) {
    Points part = x.columns({column});
    if (part.domain().kind == "table") continue;
    if (part.domain().kind != kind) continue;
    name = column;
    return part;
  }
  return std::nullopt;
}

bool can_be_explained(const Subject& subject) {
  const Expansion::Parts& f = subject.model.expansion().parts();
  return adds_up(subject.model) && f.alpha.rows() > 0 &&
         detail::feature_weights(*f.kernel, *f.centres, f.alpha) != nullptr;
}

// Some of each class, or evenly some.
std::vector<Index> chosen(const Subject& subject) {
  if (subject.labels.size() != subject.x.size()) return evenly(subject.x.size(), kMostShown);
  std::vector<Index> out;
  const auto classes = static_cast<Index>(subject.labels.classes.size());
  for (Index round = 0; static_cast<Index>(out.size()) < std::min(kMostShown, subject.x.size()) && round < kMostShown;
       ++round) {
    for (Index c = 0; c < classes && static_cast<Index>(out.size()) < kMostShown; ++c) {
      Index seen = 0;
      for (Index i = 0; i < subject.x.size(); ++i) {
        if (subject.labels.of[at(i)] != c || seen++ != round) continue;
        out.push_back(i);
        break;
      }
    }
  }
  std::ranges::sort(out);
  return out;
}

struct Explained {
  Index row;
  Contribution part;
  Vector values;  // of the score that decides
  double score;
  std::string of;
};

std::optional<Explained> explain(const Subject& subject, Index i, const std::string& column) {
  const std::vector<Index> one = {i};
  const Points x = subject.x.select(one);
  const Explanation found = explain_prediction(subject.model, x, subject.how);
  for (const Contribution& part : found.parts) {
    if (part.column != column) continue;
    Explained out{i, part, {}, found.scores[at(found.deciding)], found.names[at(found.deciding)]};
    for (Index j = 0; j < part.values.rows(); ++j) out.values.push_back(part.values(j, found.deciding));
    return out;
  }
  return std::nullopt;
}

void add_names(const Subject& subject, Index i, Json& out) {
  if (subject.labels.size() == subject.x.size()) out["truth"] = subject.labels.classes[at(subject.labels.of[at(i)])];
  if (subject.model.is_classifier()) {
    const std::vector<Index> one = {i};
    out["predicted"] = subject.model.predict_labels(subject.x.select(one), subject.how)[0];
  }
}

}  // namespace

bool explains_strings(const Subject& subject) {
  std::string name;
  return subject.x.size() > 0 && column_of_kind(subject.x, "strings", name) && can_be_explained(subject);
}

Exhibit strings_picture(const Subject& subject) {
  std::string column;
  column_of_kind(subject.x, "strings", column);
  Json shown = Json::array();
  std::string strongest;
  double most = 0;
  for (const Index i : chosen(subject)) {
    const std::optional<Explained> found = explain(subject, i, column);
    if (!found) continue;
    const auto letters = std::min(kMostLetters, static_cast<Index>(found->part.places.size()));
    Json one = {{"name", fmt::format("row {}", i + 1)},
                {"letters", std::vector<std::string>(found->part.places.begin(), found->part.places.begin() + letters)},
                {"values", Vector(found->values.begin(), found->values.begin() + letters)},
                {"score", found->score},
                {"of", found->of}};
    add_names(subject, i, one);
    for (std::size_t j = 0; j < found->values.size(); ++j) {
      if (std::abs(found->values[j]) <= std::abs(most)) continue;
      most = found->values[j];
      strongest = fmt::format("{} at place {} of row {}", found->part.places[j], j + 1, i + 1);
    }
    shown.push_back(std::move(one));
  }
  return {
      "strings",
      "strings",
      "What the letters add",
      fmt::format("Shares of the letters in the score; with the bias they add up to it. The strongest is {}: {:+.3g}.",
                  strongest, most),
      {{"strings", shown}}};
}

bool explains_graphs(const Subject& subject) {
  std::string name;
  return subject.x.size() > 0 && column_of_kind(subject.x, "graphs", name) && can_be_explained(subject);
}

Exhibit graphs_picture(const Subject& subject) {
  std::string column;
  const Points graphs = *column_of_kind(subject.x, "graphs", column);
  const ObjectsOf<Graphs> held = find_objects<Graphs>(graphs);
  const Expansion::Parts& f = subject.model.expansion().parts();
  Json shown = Json::array();
  Index too_large = 0;
  for (const Index i : chosen(subject)) {
    const Graph& graph = held[i];
    if (graph.nodes() == 0 || graph.nodes() > kMostNodes) {
      ++too_large;
      continue;
    }
    const std::optional<Explained> found = explain(subject, i, column);
    if (!found) continue;
    const Matrix y = layout(graph);
    Json across = Json::array(), up = Json::array(), labels = Json::array(), edges = Json::array();
    for (Index node = 0; node < graph.nodes(); ++node) {
      across.push_back(y(node, 0));
      up.push_back(y(node, 1));
      if (!graph.node_labels().empty()) labels.push_back(graph.node_label_names()[at(graph.node_labels()[at(node)])]);
      for (const std::int32_t other : graph.neighbours(node)) {
        if (other >= node || graph.directed()) edges.push_back({node, other});
      }
    }
    Json one = {{"name", fmt::format("row {}", i + 1)},
                {"x", across},
                {"y", up},
                {"edges", edges},
                {"values", found->values},
                {"score", found->score},
                {"of", found->of}};
    if (!labels.empty()) one["labels"] = labels;
    add_names(subject, i, one);
    if (f.centres->size() <= kMostSearched) {
      const std::vector<Index> itself = {i};
      const Points here = subject.model.parts().scaling.apply(subject.x.select(itself));
      const Neighbours near = neighbours(*f.kernel, here, *f.centres, std::min(kMostAlike + 1, f.centres->size()));
      Json like = Json::array();
      for (Index rank = 0; rank < near.count() && static_cast<Index>(like.size()) < kMostAlike; ++rank) {
        if (subject.fitted_to && near.distances()(0, rank) == 0) continue;  // itself
        const Index centre = near.which(0, rank);
        const Index row = f.support.empty() ? centre : f.support[at(centre)];
        const std::vector<Index> other = {centre};
        like.push_back({{"name", fmt::format("training row {}", row + 1)},
                        {"k", cross(*f.kernel, here, f.centres->select(other))(0, 0)}});
      }
      one["like"] = like;
    }
    shown.push_back(std::move(one));
  }
  std::string finding = "Shares of the nodes in the score; with the bias they add up to it";
  if (too_large > 0) finding += fmt::format("; {} graphs of more than {} nodes are not drawn", too_large, kMostNodes);
  return {"graphs",
          "graphs",
          "What the nodes add",
          finding + ".",
          {{"graphs", shown}, {"value", "share in the score"}, {"diverging", true}}};
}

}  // namespace mercer::report
