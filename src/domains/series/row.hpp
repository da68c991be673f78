// The row of series in the list of domains, and the functions it points at.
#pragma once

#include "domains/domains.hpp"

namespace mercer::detail {

DomainRow series_domain();

std::vector<Entry> series_kernels();
Points load_series(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);
Points sample_series(Index count, std::uint64_t seed);

Value emit_gak(const Site& site, Emitter& e);
double typical_sigma(const std::vector<NodePtr>& premises, const Points& x);

}  // namespace mercer::detail
