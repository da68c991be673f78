// The row of graphs in the list of domains, and the functions it points at.
#pragma once

#include "domains/domains.hpp"

namespace mercer::detail {

DomainRow graphs_domain();

std::vector<Entry> graph_kernels();
Points load_graphs(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);
std::vector<FileFormat> graph_formats();
Points sample_graphs(Index count, std::uint64_t seed);

std::shared_ptr<const FeatureStep> wl_features(const Node& node);
std::shared_ptr<const FeatureStep> shortest_path_features(const Node& node);
std::shared_ptr<const FeatureStep> label_histogram_features(const Node& node);
std::shared_ptr<const FeatureStep> graphlet_features(const Node& node);
std::shared_ptr<const FeatureStep> walk_features(const Node& node);  // of kind=steps without labels; null of others
Value emit_wl(const Site& site, Emitter& e);
Value emit_shortest_path(const Site& site, Emitter& e);
Value emit_random_walk(const Site& site, Emitter& e);
Value emit_attributed_walk(const Site& site, Emitter& e);  // random_walk with a kernel between nodes
// What that kernel sees.
Points attributes_of_nodes(const Node& node, const Points& x);

}  // namespace mercer::detail
