// Errors of training points when they were held out: what a model keeps of them, and what is read off them.
#pragma once

#include "mercer/machines.hpp"

namespace mercer::detail {

// The smallest of `values` that, together with those below it, make up the share of all and one more; infinity where
// all do not. `count`: how many points each stands for; empty: one. Values are moved about.
double quantile(Vector& values, const Vector& count, double share);

// A row per point: its weight and an error for each of the model's answers.
bool is_table_of_errors(const Report::Table& table, const Model& model);
// What with_errors_held_out() has kept (mercer/intervals.hpp); null: nothing, or nothing that can be used.
const Report::Table* errors_held_out(const Model& model);
// Of such a table; empty: all 1.
Vector weights_in(const Report::Table& table);

bool predicts_numbers(const Model& model);

// Of each class, how little a classifier that says `said` and predicts `predicted` believes in it: the probability of
// all classes together that are likelier, or else by how much its score is below the largest. 0 of the predicted class.
Vector errors_of_classes(const double* said, Index classes, Index predicted, bool are_probabilities);

// UsageError: a coverage is above 0 and below 1.
void require_coverage(double coverage);
// "; so few points tell no end of them: ask for at most 88.89 %", or nothing.
std::string too_few_words(double coverage, double points);

}  // namespace mercer::detail
