// The row of nodes in the list of domains, and the functions it points at.
#pragma once

#include "domains/domains.hpp"

namespace mercer::detail {

DomainRow nodes_domain();

std::vector<Entry> node_kernels();
Points load_nodes(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);
Points sample_nodes(Index count, std::uint64_t seed);

Value emit_walks(const Site& site, Emitter& e);
Value emit_p_step(const Site& site, Emitter& e);
Value emit_diffusion(const Site& site, Emitter& e);
Value emit_regularized_laplacian(const Site& site, Emitter& e);

}  // namespace mercer::detail
