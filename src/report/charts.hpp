// One function a picture and, where it is more than a line, when it applies: src/report/charts/NAME.cpp.
#pragma once

#include "report/exhibit.hpp"
#include "report/subject.hpp"

namespace mercer::report {

Exhibit confusion_picture(const Subject& subject);

// Regression on one number.
bool curve_applies(const Subject& subject);
Exhibit curve_picture(const Subject& subject);
bool components_apply(const Subject& subject);
Exhibit components_picture(const Subject& subject);

// Numbers of left-out points.
Exhibit predicted_actual_picture(const Subject& subject);
Exhibit residuals_picture(const Subject& subject);
bool calibration_applies(const Subject& subject);
Exhibit calibration_picture(const Subject& subject);
Exhibit worst_numbers_picture(const Subject& subject);
Exhibit worst_classes_picture(const Subject& subject);
bool novelty_applies(const Subject& subject);
Exhibit outliers_picture(const Subject& subject);

// Classes.
bool regions_apply(const Subject& subject);
Exhibit regions_picture(const Subject& subject);
bool levels_apply(const Subject& subject);
Exhibit levels_picture(const Subject& subject);
bool ranking_applies(const Subject& subject);
Exhibit roc_picture(const Subject& subject);
Exhibit precision_recall_picture(const Subject& subject);
bool cutoff_applies(const Subject& subject);
Exhibit cutoff_picture(const Subject& subject);
bool reliability_applies(const Subject& subject);
// Columns of the probabilities that speak for themselves: of two classes the second, of many the first ten, and of
// these the ones that occur beside others.
std::vector<Index> classes_shown(const Subject& subject);
Exhibit reliability_picture(const Subject& subject);
Exhibit densities_picture(const Subject& subject);

// inputs.cpp
bool inputs_apply(const Subject& subject);
Exhibit relevance_picture(const Subject& subject);
Exhibit partial_picture(const Subject& subject);

// chosen.cpp
bool path_applies(const Subject& subject);
Exhibit path_picture(const Subject& subject);
bool tuning_applies(const Subject& subject);
Exhibit tuning_picture(const Subject& subject);
bool surface_applies(const Subject& subject);
Exhibit surface_picture(const Subject& subject);

// gram.cpp
bool has_pairs(const Subject& subject);
Exhibit gram_picture(const Subject& subject);
Exhibit spectrum_picture(const Subject& subject);
Exhibit entries_picture(const Subject& subject);

// embedding.cpp
bool has_plane(const Subject& subject);
Exhibit embedding_picture(const Subject& subject);
bool has_components(const Subject& subject);
Exhibit scree_picture(const Subject& subject);
bool has_distances(const Subject& subject);
Exhibit shepard_picture(const Subject& subject);

// clusters.cpp
bool finds_clusters(const Subject& subject);
Exhibit cluster_sizes_picture(const Subject& subject);
bool has_silhouettes(const Subject& subject);
Exhibit silhouette_picture(const Subject& subject);
bool has_clusters_and_classes(const Subject& subject);
Exhibit cluster_classes_picture(const Subject& subject);

// density.cpp
bool is_density_of_one(const Subject& subject);
Exhibit density_curve_picture(const Subject& subject);
bool is_density_of_two(const Subject& subject);
Exhibit density_levels_picture(const Subject& subject);
bool has_density(const Subject& subject);
Exhibit least_likely_picture(const Subject& subject);

// contributions.cpp
bool explains_strings(const Subject& subject);
Exhibit strings_picture(const Subject& subject);
bool explains_graphs(const Subject& subject);
Exhibit graphs_picture(const Subject& subject);

// nodes.cpp
bool is_small_graph(const Subject& subject);
Exhibit waves_picture(const Subject& subject);
Exhibit node_scores_picture(const Subject& subject);

}  // namespace mercer::report
