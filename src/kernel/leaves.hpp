// The emit functions that rows of kernels on real vectors, and of rules, point at: one leaf file per kernel family.
#pragma once

#include "kernel/catalog.hpp"

namespace mercer::detail {

// inner products
Value emit_linear(const Site& site, Emitter& e);
Value emit_constant(const Site& site, Emitter& e);
Value emit_poly(const Site& site, Emitter& e);
Value emit_multilinear(const Site& site, Emitter& e);
Value emit_quadratic(const Site& site, Emitter& e);
void check_quadratic(const Node& node);
Domain quadratic_domain(const Node& node);
Value emit_cosine(const Site& site, Emitter& e);
Value emit_features(const Site& site, Emitter& e);
// radial
Value emit_rbf(const Site& site, Emitter& e);
Value emit_laplace(const Site& site, Emitter& e);
Value emit_exponential(const Site& site, Emitter& e);
Value emit_matern(const Site& site, Emitter& e);
Value emit_rq(const Site& site, Emitter& e);
Value emit_periodic(const Site& site, Emitter& e);
Value emit_wave(const Site& site, Emitter& e);
Value emit_min(const Site& site, Emitter& e);
Value emit_sho(const Site& site, Emitter& e);
Value emit_wendland(const Site& site, Emitter& e);
// categories, counts, histograms
Value emit_equal(const Site& site, Emitter& e);
Value emit_hamming(const Site& site, Emitter& e);
Value emit_tanimoto(const Site& site, Emitter& e);
Value emit_chi2(const Site& site, Emitter& e);
Value emit_coregion(const Site& site, Emitter& e);
void check_coregion(const Node& node);
Domain coregion_domain(const Node& node);
// networks
Value emit_arccos(const Site& site, Emitter& e);
Value emit_ntk(const Site& site, Emitter& e);
// assumed
Value emit_assumed(const Site& site, Emitter& e);

// any row that has explicit features
Value emit_inner_product(const Site& site, Emitter& e);

// rules
Value emit_sum(const Site& site, Emitter& e);
Value emit_product(const Site& site, Emitter& e);
Value emit_scale(const Site& site, Emitter& e);
Value emit_power(const Site& site, Emitter& e);
Value emit_exp(const Site& site, Emitter& e);
Value emit_polynomial(const Site& site, Emitter& e);
Value emit_normalize(const Site& site, Emitter& e);
Value emit_rbf_of(const Site& site, Emitter& e);
double typical_feature_distance(const std::vector<NodePtr>& premises, const Points& x);
Value emit_scaled(const Site& site, Emitter& e);
Value emit_warp(const Site& site, Emitter& e);
Value emit_on(const Site& site, Emitter& e);
Value emit_random_features(const Site& site, Emitter& e);
void check_random_features(const Node& node);
Domain scaled_domain(const Node& node);
Domain warp_domain(const Node& node);
Domain on_domain(const Node& node);
Points warped(const Node& node, const Points& x);
Points chosen_columns(const Node& node, const Points& x);

// The rows themselves.
std::vector<Entry> real_kernels();
std::vector<Entry> closure_rules();

}  // namespace mercer::detail
