// Inputs of raw tables: when a recipe makes them, and what a model with one takes.
#pragma once

#include "mercer/recipe.hpp"
#include "workflow/raw_training.hpp"

namespace mercer::workflow {

// Whether columns may be read as people wrote them, because a recipe can make inputs of whatever stands there.
bool reads_as_written(const FitRequest& request);

// The columns of a table that the kernel takes as texts.
std::vector<std::string> text_columns(const Kernel& k, const Points& x);

// Whether it takes numbers of a column that holds words: a category, perhaps.
bool takes_words_for_numbers(const Kernel& k, const Points& x);

// The target as numbers where all that is there are, with NaN for gaps; `styled`: also as "$1,862". Else as texts, of
// which gaps are empty.
Column target_values(Column column, bool styled, const std::vector<std::string>& missing);

// Columns of which the user said that they are text, whatever stands there.
std::vector<std::string> told_texts(const Source& source, const std::vector<std::string>& names);

// Whether the kernel takes rows of numbers.
bool takes_numbers(const KernelChoice& choice);

// Some rows of a column, and those in which no target is missing.
Column select(const Column& column, const std::vector<Index>& rows);
std::vector<Index> complete_rows(const std::vector<Column>& targets, Index rows);
// Some rows of a column to those before. Where all values are missing, nothing tells numbers from texts.
void append(Column from, Column& to);

// That a column goes up and down with the target, nearly without exception, where it does.
std::optional<std::string> leak_remark(const Column& column, const std::vector<Column>& targets);

// And says how many.
void leave_out_rows_without_target(const std::string& path, RawTraining& raw);

// Makes the inputs of a training table where numbers and texts do not do as they stand: it has gaps, texts beside a
// kernel on numbers, or the user says something of its columns. Rows without a target are left out.
void cook(const FitRequest& request, Task task, RawTraining& raw);

// How a model of a complete table of numbers reads one with gaps: it has no recipe, but knows the mean of each column.
// Nothing where it has a recipe, or inputs that cannot be filled so.
std::optional<Recipe> recipe_for_gaps(const Model& model);
// Whether such data have a gap where the model needs a number, or one in the truth.
bool has_gaps(const Model& model, const Dataset& data, const std::string& target);

// The points that a recipe makes for a model, and the columns of the truth.
Inputs cooked_inputs(const Model& model, const Recipe& recipe, const Dataset& data, const std::string& path,
                     const std::string& target, const std::string& weights);
// The same without the rows whose truth is missing; `left_out` is how many these are.
Inputs with_truth(const Inputs& inputs, Index& left_out);

}  // namespace mercer::workflow
