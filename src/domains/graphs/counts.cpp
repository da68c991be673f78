#include "domains/graphs/counts.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace mercer {

namespace {

std::shared_ptr<const Dictionary> part_of(const std::shared_ptr<const Vocabulary>& whole,
                                          Dictionary Vocabulary::*part) {
  return {whole, &((*whole).*part)};
}

}  // namespace

Vocabulary::Vocabulary(const std::shared_ptr<const Vocabulary>& before)
    : node_labels(part_of(before, &Vocabulary::node_labels)),
      edge_labels(part_of(before, &Vocabulary::edge_labels)),
      features(part_of(before, &Vocabulary::features)) {}

std::vector<Index> first_nodes(std::span<const Graph> graphs) {
  std::vector<Index> out{0};
  for (const Graph& g : graphs) out.push_back(out.back() + g.nodes());
  return out;
}

std::vector<std::int32_t> node_labels(std::span<const Graph> graphs, bool use, Dictionary& texts) {
  std::vector<std::int32_t> out, number_of;
  for (const Graph& g : graphs) {
    if (!use || g.node_labels().empty()) {
      out.insert(out.end(), at(g.nodes()), use && g.nodes() > 0 ? texts.add("") : 0);
      continue;
    }
    number_of.clear();
    for (const std::string& name : g.node_label_names()) number_of.push_back(texts.add(name));
    for (const std::int32_t label : g.node_labels()) out.push_back(number_of[at(label)]);
  }
  return out;
}

std::vector<std::int32_t> edge_labels(const Graph& g, Dictionary& texts) {
  std::vector<std::int32_t> out, number_of;
  for (const std::string& name : g.edge_label_names()) number_of.push_back(texts.add(name));
  for (const std::int32_t label : g.edge_labels()) out.push_back(number_of[at(label)]);
  if (out.empty() && !g.neighbours().empty()) out.assign(g.neighbours().size(), texts.add(""));
  return out;
}

void append_counts(std::vector<std::int32_t>& found, SparseMatrix& out) {
  std::sort(found.begin(), found.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && found[i] == found[i - 1]) {
      out.values.back() += 1;
    } else {
      out.columns.push_back(found[i]);
      out.values.push_back(1);
    }
  }
  out.offsets.push_back(static_cast<Index>(out.columns.size()));
  ++out.rows;
}

SparseMatrix label_counts(std::span<const Graph> graphs, Vocabulary& vocabulary) {
  return wl_counts(graphs, 0, {}, vocabulary);
}

}  // namespace mercer
