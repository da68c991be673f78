// What each kind of posterior knows of f: a row of functions for each, in a file of its own.
#pragma once

#include <string_view>

#include "model/posterior/posterior.hpp"

namespace mercer::detail {

// The model has a kernel and a posterior of this kind; x are scaled and checked by the caller.
struct PosteriorRow {
  std::string_view name;  // in files
  // Which parts do not fit the expansion; empty: all do.
  std::string_view (*fault)(const Posterior& posterior, const Expansion& f);
  bool has_trend = false;  // may have a mean function
  // What is computed from it once; null: nothing.
  void (*make_factors)(const Model::Parts& parts, const Execution& how, Factors& to) = nullptr;
  Matrix (*variances)(const Model::Parts& parts, const Points& x, const Execution& how);
  Matrix (*covariance)(const Model::Parts& parts, const Points& x, Index output, const Execution& how);
  // f and its variances, where they share work; null: each by itself.
  Moments (*moments)(const Model::Parts& parts, const Points& x, const Execution& how) = nullptr;
  // Of coupled outputs: one row per point, its C x C covariance between the classes, row by row.
  Matrix (*class_covariances)(const Model::Parts& parts, const Points& x, const Execution& how) = nullptr;
  // The mean of f, where it is more than the expansion says; null: the expansion.
  Matrix (*means)(const Model::Parts& parts, const Points& x, const Execution& how) = nullptr;
};

extern const PosteriorRow kProcessPosterior, kSoftmaxPosterior, kWeightsPosterior, kReducedPosterior, kNearestPosterior,
    kReducedSoftmaxPosterior;
const PosteriorRow& row_of(Posterior::Kind kind);

// Neighbours of a point, at most.
constexpr Index kMostNeighbours = 1000;

// For faults of several kinds.
bool all_zero_or_more(const Vector& v);
std::string_view signal_fault(const Posterior& posterior, const Expansion& f);
// Of both that have a factor of so many rows of what few points know.
std::string_view reduced_parts_fault(const Posterior& posterior, const Expansion& f, Index rows);

// PosteriorRow::variances of coupled outputs, from their covariances.
Matrix class_variances(const Model::Parts& parts, const Points& x, const Execution& how);

// In units of the signal to begin with: symmetric to the last bit, and no variance below 0 by rounding.
void finish_covariance(double signal, MatrixRef out);

}  // namespace mercer::detail
