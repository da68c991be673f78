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
Value emit_random_walk(const Site& site, Emitter& e);

}  // namespace mercer::detail
