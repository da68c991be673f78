#include "domains/nodes/nodes.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/fingerprint.hpp"
#include "base/text.hpp"
#include "domains/nodes/row.hpp"
#include "file/blocks.hpp"

namespace mercer {

namespace {

bool equal(const NamedGraph& a, const NamedGraph& b) {
  const auto same = [](auto x, auto y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
  return a.graph.directed() == b.graph.directed() && same(a.graph.offsets(), b.graph.offsets()) &&
         same(a.graph.neighbours(), b.graph.neighbours()) && same(a.graph.weights(), b.graph.weights()) &&
         a.names == b.names;
}

std::string describe(const NamedGraph& named) {
  Fingerprint print;
  print.add(named.graph.offsets());
  print.add(named.graph.neighbours());
  print.add(named.graph.weights());
  print.add(std::span<const std::string>(named.names));
  return fmt::format("a graph of {} nodes and {} edges, {:016x}", named.graph.nodes(), named.graph.edges(),
                     print.value());
}

std::vector<std::int32_t> checked(const NamedGraph& named, const std::vector<Index>& ids) {
  std::vector<std::int32_t> out;
  out.reserve(ids.size());
  for (const Index id : ids) {
    if (id < 0 || id >= named.graph.nodes()) {
      fail(ErrorKind::data, "node {} is not in the graph, whose {} nodes are numbered from 0", id, named.graph.nodes());
    }
    out.push_back(static_cast<std::int32_t>(id));
  }
  return out;
}

Points points_of(std::shared_ptr<const NodeGraph> graph, std::vector<std::int32_t> ids) {
  return collection(std::make_shared<Nodes>(std::move(graph), std::move(ids)));
}

std::vector<std::int32_t> selected(const ObjectsOf<Nodes>& nodes) {
  std::vector<std::int32_t> out(at(nodes.size()));
  for (Index i = 0; i < nodes.size(); ++i) out[at(i)] = nodes[i];
  return out;
}

}  // namespace

std::string NamedGraph::name(Index node) const { return names.empty() ? std::to_string(node) : names[at(node)]; }

// ---- the graph ----

NodeGraph::NodeGraph(NamedGraph named, std::string description)
    : named_(std::move(named)), description_(std::move(description)) {
  if (named_.names.empty()) return;
  if (static_cast<Index>(named_.names.size()) != named_.graph.nodes()) {
    fail(ErrorKind::data, "{} names for {} nodes; name each node, or none", named_.names.size(), named_.graph.nodes());
  }
  for (std::size_t i = 0; i < named_.names.size(); ++i) {
    if (!by_name_.emplace(named_.names[i], static_cast<Index>(i)).second) {
      fail(ErrorKind::data, "two nodes have the name {}", mercer::quoted(named_.names[i]));
    }
  }
}

std::shared_ptr<const NodeGraph> NodeGraph::shared(NamedGraph named) {
  static std::mutex mutex;
  static std::multimap<std::string, std::weak_ptr<const NodeGraph>> all;
  std::string description = describe(named);
  const std::lock_guard lock(mutex);
  std::erase_if(all, [](const auto& item) { return item.second.expired(); });
  const auto [first, last] = all.equal_range(description);
  for (auto item = first; item != last; ++item) {
    auto known = item->second.lock();
    if (known && equal(known->named(), named)) return known;
  }
  std::shared_ptr<const NodeGraph> made(new NodeGraph(std::move(named), description));
  all.emplace(std::move(description), made);
  return made;
}

Index NodeGraph::find(std::string_view name) const {
  if (named_.names.empty()) {
    const auto number = parse_number(name);
    if (number && *number >= 0 && *number < static_cast<double>(graph().nodes()) && *number == std::floor(*number)) {
      return static_cast<Index>(*number);
    }
    fail(ErrorKind::data, "there is no node {}; the nodes of the graph are called 0 to {}", mercer::quoted(name),
         graph().nodes() - 1);
  }
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) fail(ErrorKind::data, "the graph has no node {}", mercer::quoted(name));
  return found->second;
}

std::shared_ptr<const detail::NodeOperator> NodeGraph::matrix(detail::NodeMatrix which, const std::string& who) const {
  detail::require_undirected(graph(), who);
  return cached<detail::NodeOperator>(fmt::format("matrix{}", static_cast<int>(which)),
                                      [&] { return detail::NodeOperator(graph(), which); });
}

// ---- points ----

Points nodes(const NamedGraph& graph, const std::vector<Index>& ids) {
  return points_of(NodeGraph::shared(graph), checked(graph, ids));
}

Points nodes(const NamedGraph& graph, const std::vector<std::string>& names) {
  const auto known = NodeGraph::shared(graph);
  std::vector<std::int32_t> ids;
  ids.reserve(names.size());
  for (const std::string& name : names) ids.push_back(static_cast<std::int32_t>(known->find(name)));
  return points_of(known, std::move(ids));
}

Points nodes(const NamedGraph& graph) {
  std::vector<std::int32_t> ids(at(graph.graph.nodes()));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i);
  return points_of(NodeGraph::shared(graph), std::move(ids));
}

Points nodes(const Graph& graph, const std::vector<Index>& ids) { return nodes(NamedGraph{graph}, ids); }
Points nodes(const Graph& graph) { return nodes(NamedGraph{graph}); }

const NamedGraph& graph_of(const Points& x) {
  return objects_of<Nodes>(x, "graph_of()", "nodes of a graph")->graph()->named();
}

std::vector<Index> ids_of(const Points& x) {
  const std::vector<std::int32_t> ids = selected(objects_of<Nodes>(x, "ids_of()", "nodes of a graph"));
  return {ids.begin(), ids.end()};
}

NodesPair nodes_pair(const Points& x, const Points& y, const std::string& who) {
  const auto left = objects_of<Nodes>(x, who, "nodes of a graph"),
             right = objects_of<Nodes>(y, who, "nodes of a graph");
  if (left->graph() != right->graph()) {
    fail(ErrorKind::domain, "{}: the points are nodes of two graphs ({}; {}); give both of one graph", who,
         left->graph()->description(), right->graph()->description());
  }
  return {left->graph(), selected(left), selected(right)};
}

std::string Nodes::describe(const Selection&) const { return "nodes of " + graph_->description(); }

std::shared_ptr<const Objects> Nodes::join(const Selection& own, const Objects& other, const Selection& others) const {
  const auto& more = static_cast<const Nodes&>(other);
  if (graph_ != more.graph_) {
    fail(ErrorKind::domain, "nodes of two graphs cannot be joined ({}; {})", graph_->description(),
         more.graph_->description());
  }
  std::vector<std::int32_t> ids;
  for (Index i = 0; i < own.size; ++i) ids.push_back((*this)[own[i]]);
  for (Index i = 0; i < others.size; ++i) ids.push_back(more[others[i]]);
  return std::make_shared<Nodes>(graph_, std::move(ids));
}

// ---- model files ----

// The whole graph, by rows, and the numbers of the nodes.
Json Nodes::save(const Selection& which, const std::string& prefix, detail::BlockWriter& blocks) const {
  const Graph& graph = graph_->graph();
  const std::vector<std::string>& names = graph_->named().names;
  const auto keep = graph_;  // the blocks are written later
  const auto add = [&]<class T>(const std::string& name, std::span<const T> values) {
    blocks.add<T>(prefix + name, {static_cast<Index>(values.size())},
                  [keep, values](detail::Sink& sink) { sink.write(values.data(), values.size_bytes()); });
  };
  blocks.add<std::int32_t>(prefix + ".ids", {which.size}, [this, which](detail::Sink& sink) {
    for (Index i = 0; i < which.size; ++i) {
      const std::int32_t id = (*this)[which[i]];
      sink.write(&id, sizeof(id));
    }
  });
  blocks.add<std::int64_t>(prefix + ".offsets", {graph.nodes() + 1}, [keep](detail::Sink& sink) {
    for (const Index offset : keep->graph().offsets()) {
      const std::int64_t value = offset;
      sink.write(&value, sizeof(value));
    }
  });
  add(".neighbours", graph.neighbours());
  if (graph.is_weighted()) add(".weights", graph.weights());
  if (!names.empty()) {
    blocks.add<std::int64_t>(prefix + ".name_ends", {static_cast<Index>(names.size())}, [keep](detail::Sink& sink) {
      std::int64_t end = 0;
      for (const std::string& name : keep->named().names) {
        end += static_cast<std::int64_t>(name.size());
        sink.write(&end, sizeof(end));
      }
    });
    Index bytes = 0;
    for (const std::string& name : names) bytes += static_cast<Index>(name.size());
    blocks.add<char>(prefix + ".names", {bytes}, [keep](detail::Sink& sink) {
      for (const std::string& name : keep->named().names) sink.write(name.data(), name.size());
    });
  }
  return {{"kind", "nodes"}, {"directed", graph.directed()}};
}

namespace detail {

namespace {

std::vector<std::string> load_names(const std::string& prefix, const BlockReader& blocks) {
  if (!blocks.has(prefix + ".name_ends")) return {};
  const auto ends = blocks.numbers<std::int64_t>(prefix + ".name_ends");
  const auto bytes = blocks.numbers<char>(prefix + ".names");
  std::vector<std::string> names;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    if (end < begin || end > static_cast<std::int64_t>(bytes.size())) {
      fail(ErrorKind::file, "the name of node {} ends at {} of {}", names.size(), end, bytes.size());
    }
    names.emplace_back(bytes.data() + begin, static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return names;
}

}  // namespace

Points load_nodes(const Json& json, const std::string& prefix, const BlockReader& blocks, int) {
  const bool directed = flag(json, "directed");
  const auto offsets = blocks.numbers<std::int64_t>(prefix + ".offsets");
  const auto neighbours = blocks.numbers<std::int32_t>(prefix + ".neighbours");
  const auto ids = blocks.numbers<std::int32_t>(prefix + ".ids");
  std::vector<double> weights;
  if (blocks.has(prefix + ".weights")) weights = blocks.numbers<double>(prefix + ".weights");
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(neighbours.size()) ||
      !std::is_sorted(offsets.begin(), offsets.end()) || (!weights.empty() && weights.size() != neighbours.size())) {
    fail(ErrorKind::file, "the rows of its graph do not fit together");
  }
  GraphParts parts{.nodes = static_cast<Index>(offsets.size()) - 1, .directed = directed};
  std::size_t mirrored = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (auto p = static_cast<std::size_t>(offsets[i]); p < static_cast<std::size_t>(offsets[i + 1]); ++p) {
      const auto from = static_cast<Index>(i), to = static_cast<Index>(neighbours[p]);
      if (directed || from <= to) {
        parts.edges.push_back({from, to, weights.empty() ? 1 : weights[p]});
      } else {
        ++mirrored;
      }
    }
  }
  NamedGraph named{Graph(std::move(parts)), load_names(prefix, blocks)};
  const bool whole = named.graph.neighbours().size() == neighbours.size() &&
                     std::equal(neighbours.begin(), neighbours.end(), named.graph.neighbours().begin());
  if (!whole)
    fail(ErrorKind::file, "the edges of its graph do not go both ways ({} of {} do)", 2 * mirrored, neighbours.size());
  return nodes(named, std::vector<Index>(ids.begin(), ids.end()));
}

}  // namespace detail

}  // namespace mercer
