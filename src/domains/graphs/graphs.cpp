#include "domains/graphs/graphs.hpp"

#include <algorithm>
#include <compare>
#include <string_view>

#include "base/at.hpp"

namespace mercer {

namespace {

template <class T>
int order_of(std::span<const T> a, std::span<const T> b) {
  if (std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end())) return -1;
  return std::lexicographical_compare(b.begin(), b.end(), a.begin(), a.end()) ? 1 : 0;
}

int order_of(Index a, Index b) { return a < b ? -1 : a > b ? 1 : 0; }

// By their texts: numbers of labels mean something within their graph only.
int order_of_labels(std::span<const std::int32_t> a, const std::vector<std::string>& names_a,
                    std::span<const std::int32_t> b, const std::vector<std::string>& names_b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (const int order = names_a[at(a[i])].compare(names_b[at(b[i])]); order != 0) return order;
  }
  return order_of(static_cast<Index>(a.size()), static_cast<Index>(b.size()));
}

int order_of(MatrixView a, MatrixView b) {
  if (const int order = order_of(a.cols(), b.cols()); order != 0) return order;
  return order_of(std::span(a.data(), at(a.rows() * a.cols())), std::span(b.data(), at(b.rows() * b.cols())));
}

}  // namespace

int compare(const Graph& a, const Graph& b) {
  int order = order_of(a.nodes(), b.nodes());
  if (order == 0) order = order_of(a.edges(), b.edges());
  if (order == 0) order = order_of(Index{a.directed()}, Index{b.directed()});
  if (order == 0) order = order_of(a.offsets(), b.offsets());
  if (order == 0) order = order_of(a.neighbours(), b.neighbours());
  if (order == 0) order = order_of(a.weights(), b.weights());
  if (order == 0) order = order_of_labels(a.node_labels(), a.node_label_names(), b.node_labels(), b.node_label_names());
  if (order == 0) order = order_of_labels(a.edge_labels(), a.edge_label_names(), b.edge_labels(), b.edge_label_names());
  return order == 0 ? order_of(a.attributes(), b.attributes()) : order;
}

Points graphs(std::vector<Graph> graphs) { return collection(std::make_shared<Graphs>(std::move(graphs))); }

int Graphs::compare(Index i, Index j) const { return mercer::compare((*this)[i], (*this)[j]); }

std::shared_ptr<const Objects> Graphs::join(const Selection& own, const Objects& other, const Selection& others) const {
  std::vector<Graph> all;
  for (Index i = 0; i < own.size; ++i) all.push_back((*this)[own[i]]);
  for (Index i = 0; i < others.size; ++i) all.push_back(static_cast<const Graphs&>(other)[others[i]]);
  return std::make_shared<Graphs>(std::move(all));
}

}  // namespace mercer
