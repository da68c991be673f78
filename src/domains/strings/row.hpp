// The row of texts in the list of domains, and the functions it points at.
#pragma once

#include "domains/domains.hpp"

namespace mercer::detail {

DomainRow strings_domain();

std::vector<Entry> string_kernels();
Points load_strings(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);
Points sample_strings(Index count, std::uint64_t seed);

std::shared_ptr<const FeatureStep> spectrum_features(const Node& node);

}  // namespace mercer::detail
