// Words that rows of the catalog are written in.
#pragma once

#include "kernel/catalog.hpp"

namespace mercer::detail::row {

constexpr bool axiom = false, rule = true;

inline Arg positive(std::string name, double fallback) {
  return {.name = std::move(name), .kind = ArgKind::real, .fallback = fallback};
}
inline Arg nonnegative(std::string name, double fallback) {
  return {.name = std::move(name), .kind = ArgKind::real, .fallback = fallback, .range = {.above = false}};
}
inline Arg between(std::string name, double fallback, double lower, double upper) {
  return {.name = std::move(name),
          .kind = ArgKind::real,
          .fallback = fallback,
          .range = {.lower = lower, .upper = upper, .above = false}};
}
inline Arg positive_or_auto(std::string name, double fallback, std::string automatic) {
  return {.name = std::move(name), .kind = ArgKind::real, .fallback = fallback, .automatic = std::move(automatic)};
}
// As many numbers as there are categories, or terms: a list.
inline Arg list_of(std::string name, ValueRange range) {
  return {.name = std::move(name), .kind = ArgKind::coefficients, .range = range};
}
inline Arg length_scale() { return {.name = "ell", .kind = ArgKind::per_column, .fallback = 1}; }
inline Arg whole(std::string name, double fallback, double lower, double upper) {
  return {.name = std::move(name),
          .kind = ArgKind::integer,
          .fallback = fallback,
          .range = {.lower = lower, .upper = upper, .above = false}};
}
inline Arg one_of(std::string name, double fallback, std::vector<double> choices) {
  return {.name = std::move(name), .kind = ArgKind::choice, .fallback = fallback, .choices = std::move(choices)};
}
inline Arg number_up_to(std::string name, double fallback, double upper) {
  return {.name = std::move(name), .kind = ArgKind::number, .fallback = fallback, .range = {.upper = upper}};
}
inline Arg one_of(std::string name, std::vector<std::string> words) {
  return {.name = std::move(name), .kind = ArgKind::word, .words = std::move(words)};
}
// A row whose kernel is an inner product of explicit features.
inline Entry featured(Entry entry, std::shared_ptr<const FeatureStep> (*features)(const Node&)) {
  entry.features = features;
  return entry;
}
// A row whose kernel takes numbers for labels.
inline Entry of_labels(Entry entry) {
  entry.takes_labels = true;
  return entry;
}
inline Arg given(std::string name, ArgKind kind) { return {.name = std::move(name), .kind = kind}; }
inline Arg premise() { return given("k", ArgKind::kernel); }

// A kernel that may be left out, written with its name: node=rbf(ell=1).
inline Arg optional_premise(std::string name) {
  return {.name = std::move(name), .kind = ArgKind::kernel, .optional = true};
}

}  // namespace mercer::detail::row
