// The rows of bags and of Gaussians in the list of domains, and the functions they point at.
#pragma once

#include "domains/domains.hpp"

namespace mercer::detail {

DomainRow bags_domain();
DomainRow gaussians_domain();

std::vector<Entry> bag_kernels();
std::vector<Entry> distribution_kernels();

Points load_bags(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);
Points load_gaussians(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);
Points sample_bags(Index count, std::uint64_t seed);
Points sample_gaussians(Index count, std::uint64_t seed);

Value emit_mean_embedding(const Site& site, Emitter& e);
Domain bags_of(const Node& node);
Points elements_of_bags(const Node& node, const Points& x);

Value emit_bhattacharyya(const Site& site, Emitter& e);
Value emit_expected_likelihood(const Site& site, Emitter& e);
Value emit_probability_product(const Site& site, Emitter& e);
Domain any_distribution(const Node& node);

}  // namespace mercer::detail
