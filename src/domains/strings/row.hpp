// The row of texts in the list of domains, and the functions it points at.
#pragma once

#include "domains/domains.hpp"

namespace mercer::detail {

DomainRow strings_domain();

std::vector<Entry> string_kernels();
Points load_strings(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);
Points sample_strings(Index count, std::uint64_t seed);

std::shared_ptr<const FeatureStep> spectrum_features(const Node& node);
void check_strands(const Node& node);
std::shared_ptr<const FeatureStep> substring_features(const Node& node);
Value emit_substrings(const Site& site, Emitter& e);
void check_substrings(const Node& node);
std::shared_ptr<const FeatureStep> gapped_features(const Node& node);
void check_gapped(const Node& node);
Value emit_mismatch(const Site& site, Emitter& e);
void check_mismatch(const Node& node);
Value emit_subsequence(const Site& site, Emitter& e);
Value emit_weighted_degree(const Site& site, Emitter& e);

// NumericError where decay^(2 length) is too small for a number, and all of the kernel would be 0.
void require_decay(double decay, int length, const std::string& who);

}  // namespace mercer::detail
