// The row of graphs in the list of domains, and the functions it points at.
#pragma once

#include "domains/domains.hpp"

namespace mercer::detail {

DomainRow graphs_domain();

std::vector<Entry> graph_kernels();
Points load_graphs(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);
std::vector<FileFormat> graph_formats();
Points sample_graphs(Index count, std::uint64_t seed);

Value emit_wl(const Site& site, Emitter& e);
Value emit_shortest_path(const Site& site, Emitter& e);
Value emit_label_histogram(const Site& site, Emitter& e);
Value emit_graphlet(const Site& site, Emitter& e);
Value emit_random_walk(const Site& site, Emitter& e);

}  // namespace mercer::detail
