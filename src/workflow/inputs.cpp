// Data as a fitted model wants them.

#include "workflow/inputs.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/graph_columns.hpp"
#include "data/node_columns.hpp"
#include "data/row_groups.hpp"
#include "data/source.hpp"
#include "mercer/recipe.hpp"
#include "points/rep.hpp"
#include "workflow/table_inputs.hpp"

namespace mercer::workflow {

namespace {

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Fitting {
 public:
  Fitting(const Model& model, const std::string& path, bool counted)
      : model_(model), schema_(model.parts().inputs), path_(path), counted_(counted) {}

  // All places are found before a column is taken out, so that numbers count those of the file.
  Inputs take(const Points& x, const std::string& target, const std::string& weights) const {
    Inputs out{x};
    std::vector<Index> targets, of_weights;
    for (const std::string& name : data::names_in(target, x)) {
      targets.push_back(data::column_position(x, name, "`target`", path_));
    }
    if (!weights.empty()) {
      of_weights.push_back(data::column_position(x, weights, "`weights`", path_));
      if (std::find(targets.begin(), targets.end(), of_weights[0]) != targets.end()) {
        fail(ErrorKind::usage, "`weights`: {} is the target; name another column", mercer::quoted(weights));
      }
      out.weights = data::weights_of(data::column_at(x, of_weights[0]), path_ + ": `weights`");
    }
    if (!is_precomputed() && target.empty()) {
      // Places that the model remembers are those of a file with weights only where it was fitted to one.
      if (!of_weights.empty() && !remembers(x, of_weights[0])) remove(out, {}, std::exchange(of_weights, {}));
      remove_known(out, true, of_weights);
    } else if (targets.size() + of_weights.size() > 0) {
      remove(out, targets, of_weights);
    }
    if (is_precomputed()) {
      out.points = data::without_row_names(out.points);
      return out;
    }
    if (!target.empty()) remove_known(out, false, {});
    if (counted_ && schema_.counted) out.points = data::counted_as(schema_.columns, out.points);
    if (is_sparse(out.points)) out.points = widened(out.points);
    arrange(out);
    try {
      schema_.require(out.points);
    } catch (const Error& error) {
      fail(error.kind(), "{}: {}{}", path_, error.message(), hint(out.points));
    }
    return out;
  }

 private:
  bool is_precomputed() const { return !model_.expansion().parts().kernel; }

  // Whether a column stood beside the inputs when the model was fitted.
  bool remembers(const Points& x, Index position) const {
    return std::ranges::any_of(model_.parts().left_out,
                               [&](const std::string& name) { return data::remembered_position(x, name) == position; });
  }

  // Takes columns out: those of the truth, which are kept, and others.
  void remove(Inputs& inputs, const std::vector<Index>& targets, const std::vector<Index>& others) const {
    const Points x = inputs.points;
    std::vector<Index> all = targets;
    all.insert(all.end(), others.begin(), others.end());
    if (static_cast<Index>(all.size()) >= data::column_count(x)) {
      fail(ErrorKind::data, "{}: no column is left for the points; it holds only the target", path_);
    }
    for (const Index position : targets) inputs.targets.push_back(data::column_at(x, position));
    inputs.points = data::without_columns(x, all);
  }

  // What stood beside the inputs of the training data is left out where it is there: by name; or by its place where
  // the columns have no names and all of it is there. `others` go in any case.
  void remove_known(Inputs& inputs, bool with_targets, std::vector<Index> others) const {
    const Points x = inputs.points;
    if (others.empty() && (is_sparse(x) || spare(x) == 0)) return;
    std::vector<Index> targets;
    const std::vector<Index> asked = others;
    const auto is_asked = [&](Index position) {
      return std::find(asked.begin(), asked.end(), position) != asked.end();
    };
    const auto find = [&](const std::vector<std::string>& names, std::vector<Index>& out) {
      for (const std::string& name : names) {
        const Index position = data::remembered_position(x, name);
        if (position >= 0 && !is_asked(position) && !holds(schema_.columns, name)) out.push_back(position);
      }
    };
    if (with_targets) find(model_.parts().targets, targets);
    find(model_.parts().left_out, others);
    const auto known = static_cast<Index>(targets.size() + others.size());
    const bool nameless = schema_.columns.empty() || x.column_names().empty();
    const auto left = spare(x) - static_cast<Index>(asked.size());
    if (known > 0 && (!x.column_names().empty() || known == spare(x))) {
      remove(inputs, targets, others);
    } else if (with_targets && nameless && left == 1 && model_.parts().left_out.empty()) {
      // Without names, on one side or the other, one column too many is what there was to predict.
      const Index last = data::column_count(x) - 1;
      remove(inputs, {is_asked(last) ? last - 1 : last}, asked);
    } else if (!asked.empty()) {
      remove(inputs, {}, asked);
    }
  }

  // What may be the matter with names.
  std::string hint(const Points& x) const {
    if (schema_.columns.empty()) return "";
    if (counted_ && !schema_.counted) return "; the file has no line of names: add one";
    const std::vector<std::string> names = x.column_names();
    const std::unordered_set<std::string_view> known(schema_.columns.begin(), schema_.columns.end());
    const std::unordered_set<std::string_view> found(names.begin(), names.end());
    std::unordered_map<std::string, std::string> by_letters;
    for (const std::string& name : names) {
      if (known.count(name) == 0) by_letters.emplace(lower_case(name), name);
    }
    for (const std::string& name : schema_.columns) {
      if (found.count(name) > 0) continue;
      const auto other = by_letters.find(lower_case(name));
      return other == by_letters.end()
                 ? ""
                 : fmt::format("; rename {}, which has its letters in another case", other->second);
    }
    return "";
  }

  // How many columns there are more than the model takes.
  Index spare(const Points& x) const {
    const Index wanted = schema_.columns.empty() ? std::max<Index>(schema_.domain.dimension, 1)
                                                 : static_cast<Index>(schema_.columns.size());
    return std::max<Index>(data::column_count(x) - wanted, 0);
  }

  // Columns that the model knows by their names, in its order; of others it is said that they are passed over.
  void arrange(Inputs& inputs) const {
    const std::vector<std::string> names = inputs.points.column_names();
    const std::vector<std::string>& wanted = schema_.columns;
    if (schema_.counted || counted_ || wanted.empty() || names == wanted) return;
    std::unordered_map<std::string_view, Index> number;
    for (std::size_t j = 0; j < names.size(); ++j) number.emplace(names[j], static_cast<Index>(j) + 1);
    std::vector<Columns::Item> items;
    for (const std::string& name : wanted) {
      const auto found = number.find(name);
      if (found == number.end()) return;
      items.push_back({found->second, found->second});
      number.erase(found);
    }
    std::vector<std::string> extra;
    std::ranges::copy_if(names, std::back_inserter(extra), [&](const auto& name) { return number.contains(name); });
    if (!extra.empty()) {
      inputs.remarks.push_back(
          fmt::format("columns that the model does not know are passed over: {}", fmt::join(extra, ", ")));
    }
    const Points some = inputs.points.columns(Columns(std::move(items)));
    inputs.points = some.column_names().empty() ? table({{wanted[0], some}}) : some;
  }

  // A file of sparse rows does not know of columns that are 0 in all of them.
  Points widened(const Points& x) const {
    const SparseMatrix& values = *sparse_rows(x);
    const Index wanted = schema_.domain.dimension;
    if (values.cols > wanted) {
      const auto beyond = std::find_if(values.columns.begin(), values.columns.end(),
                                       [&](std::int32_t column) { return column >= wanted; });
      const Index entry = beyond - values.columns.begin();
      const auto row = std::upper_bound(values.offsets.begin(), values.offsets.end(), entry) - values.offsets.begin();
      fail(ErrorKind::domain, "{}: row {} has column {}, and the model was fitted to {} columns", path_, row,
           beyond == values.columns.end() ? values.cols : *beyond + 1, wanted);
    }
    if (values.cols == wanted) return x;
    SparseMatrix wide = values;
    wide.cols = wanted;
    return rows(std::move(wide));
  }

  const Model& model_;
  const Schema& schema_;
  const std::string& path_;
  const bool counted_;
};

// The columns that were text when the model was fitted.
std::vector<std::string> text_columns(const Model& model) {
  std::vector<std::string> out;
  const std::optional<Points>& centres = model.expansion().parts().centres;
  const Table* const table = centres ? find_table(*centres) : nullptr;
  if (table == nullptr) return centres && centres->domain().kind == "strings" ? centres->column_names() : out;
  for (const auto& [name, part] : table->parts) {
    if (part.domain().kind == "strings") out.push_back(name);
  }
  return out;
}

}  // namespace

ReadOptions reading_for(const Model& model, const std::string& target, const std::string& weights) {
  const Schema& inputs = model.parts().inputs;
  const std::vector<std::string>& targets = model.parts().targets;
  ReadOptions options{.header_if_unclear = inputs.counted ? std::optional(false) : std::nullopt,
                      .label = target.empty() && targets.size() == 1 ? targets[0] : target};
  if (const Recipe* const recipe = model.parts().recipe.get()) {
    options.as_written = true;
    for (const ColumnRecipe& column : recipe->columns) {
      if (!inputs.counted && !is_left_out(column.type)) options.expected.push_back(column.name);
    }
    return options;
  }
  options.gaps = recipe_for_gaps(model).has_value();
  if (!inputs.counted) {
    options.expected = inputs.columns;
    if (!weights.empty() && !parse_number(weights)) options.expected.push_back(weights);
    options.expected_texts = text_columns(model);
  }
  return options;
}

Matrix Inputs::scores(const Model& model, const Execution& how) const {
  if (model.expansion().parts().kernel) return model.scores(points, how);
  return model.scores_from_rows(dense_rows(points).values);
}

namespace {

// Rows that are points together: what is to be predicted is one value for all of them.
Inputs groups_of(const Model& model, const std::string& path, const std::string& target, const std::string& weights,
                 const Points& x, const data::RowsTogether& together) {
  const Model::Parts& parts = model.parts();
  std::vector<Index> targets, others = {together.position};
  const auto remember = [&](const std::vector<std::string>& names, std::vector<Index>& out) {
    for (const std::string& name : names) {
      if (const Index position = data::remembered_position(x, name); position >= 0) out.push_back(position);
    }
  };
  if (target.empty()) remember(parts.targets, targets);
  for (const std::string& name : data::names_in(target, x)) {
    targets.push_back(data::column_position(x, name, "`target`", path));
  }
  remember(parts.left_out, others);
  Vector counts;
  if (!weights.empty()) {
    const Index position = data::column_position(x, weights, "`weights`", path);
    const Column column = data::column_at(x, position);
    counts = data::weights_of(together.single(column, fmt::format("the weight {}", mercer::quoted(column.name))),
                              path + ": `weights`");
    std::erase(targets, position);
    if (std::find(others.begin(), others.end(), position) == others.end()) others.push_back(position);
  }
  others.insert(others.end(), targets.begin(), targets.end());
  if (static_cast<Index>(others.size()) >= data::column_count(x)) {
    fail(ErrorKind::data, "{}: no column is left for the elements of the groups", path);
  }
  Inputs out{together.points(data::without_columns(x, others)), {}, std::move(counts)};
  for (const Index position : targets) {
    const Column column = data::column_at(x, position);
    out.targets.push_back(together.single(column, fmt::format("the target {}", mercer::quoted(column.name))));
  }
  parts.inputs.require(out.points);
  return out;
}

}  // namespace

Inputs inputs_for(const Model& model, const Source& source, const std::string& target, const std::string& weights) {
  const bool weights_file = data::is_file_beside(source, weights);
  const std::string weight_column = weights_file ? "" : weights;
  if (data::is_empty(source)) {
    const std::optional<Points> all = data::all_nodes_of(model);
    if (!all) fail(ErrorKind::usage, "`source` is missing; only a model of the nodes of a graph can do without");
    if (!weight_column.empty())
      fail(ErrorKind::usage, "`weights`: without `source` they are a file, one row for each node");
    return {*all, {}, weights_file ? data::read_weights(weights, all->size()) : Vector()};
  }
  return inputs_of(model, read(source, reading_for(model, target, weight_column)), source, target, weights);
}

Inputs inputs_of(const Model& model, Dataset data, const Source& source, const std::string& target,
                 const std::string& weights) {
  const std::string& path = source.path;
  const bool target_file = data::is_file_beside(source, target), weights_file = data::is_file_beside(source, weights);
  const std::string weight_column = weights_file ? "" : weights;
  // Of files, those of libsvm, of sequences and folders of graphs have labels that nobody asked for.
  const bool has_labels = !data.target_name.empty();
  const std::string column = target_file || (has_labels && target == data.target_name) ? "" : target;
  data.points = data::with_graphs(data.points, source);
  if (const std::optional<data::RowsTogether> together = data::rows_together(source, data.points)) {
    Inputs out = groups_of(model, path, column, weight_column, data.points, *together);
    if (has_labels) out.targets = {together->single(data::target_of(data), "the target")};
    if (target_file) out.targets = data::read_columns(target, out.points.size());
    if (weights_file) out.weights = data::read_weights(weights, out.points.size());
    return out;
  }
  const std::string& kind = model.parts().inputs.domain.kind;
  if ((kind == "bags" || kind == "series") && data.points.domain().kind != kind) {
    fail(ErrorKind::usage, "{}: the model was fitted to {}; `{}=COLUMN` says which rows are one", path, kind,
         kind == "bags" ? "bag" : "series");
  }
  data.points = data::with_nodes_of(model, data.points, path);
  std::shared_ptr<const Recipe> recipe = model.parts().recipe;
  if (!recipe && has_gaps(model, data, column)) {
    if (const std::optional<Recipe> filling = recipe_for_gaps(model)) recipe = std::make_shared<const Recipe>(*filling);
  }
  Inputs out = recipe ? cooked_inputs(model, *recipe, data, path, column, weight_column)
                      : Fitting(model, path, data.counted).take(data.points, column, weight_column);
  if (has_labels) out.targets = {data::target_of(data)};
  if (target_file) out.targets = data::read_columns(target, out.points.size());
  if (weights_file) out.weights = data::read_weights(weights, out.points.size());
  return out;
}

}  // namespace mercer::workflow
