// What machines that find clusters say of them.
#pragma once

#include "machines/clusters/k_means.hpp"
#include "mercer/machines.hpp"

namespace mercer::detail {

// UsageError for fewer clusters than one, or more than points of some weight.
void require_clusters(std::string_view machine, Index clusters, VectorView weights);
// UsageError: no two points differ in feature space.
[[noreturn]] void fail_indistinct(std::string_view machine);
// Where there are fewer clusters than were asked for, because there are no more distinct points: a note of it, or
// UsageError where there is one only.
void check_distinct(std::string_view machine, Index clusters, const Partition& found, Report& report);

// Names "1", "2", ... and what was found for the training points.
void add_clusters(Model::Parts& parts, const Partition& found);
// How the iterations ended, and their course.
void add_course(Report& report, const Partition& found, double tolerance);
// The silhouette of points of some weight, where there are two clusters or more.
void add_silhouette(Report& report, const Gram& K, const Partition& found, VectorView weights, const Execution& how);

// How many clusters, where users do not say: what a fit with clusters = auto finds.
Choosing number_from_separation(const Settings& given, const Training* training);

}  // namespace mercer::detail
