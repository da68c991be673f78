#include "model_inputs.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "graph_columns.hpp"
#include "node_columns.hpp"
#include "points/rep.hpp"
#include "row_groups.hpp"

namespace mercer::cli {

namespace {

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Fitting {
 public:
  Fitting(const Model& model, const std::string& path, bool counted)
      : model_(model), schema_(model.parts().inputs), path_(path), counted_(counted) {}

  ModelInputs take(const Points& x, const std::string& target) const {
    ModelInputs out{x};
    if (!target.empty()) {
      std::vector<Index> positions;
      for (const std::string& name : split(target, ',')) {
        positions.push_back(column_position(x, name, "--target", path_));
      }
      remove(out, positions, {});
    }
    if (is_precomputed()) {
      out.points = without_row_names(out.points);
      return out;
    }
    remove_known(out, target.empty());
    if (counted_ && schema_.counted) out.points = counted_as(schema_.columns, out.points);
    if (is_sparse(out.points)) out.points = widened(out.points);
    try {
      schema_.require(out.points);
    } catch (const Error& error) {
      const std::string text = error.what();
      fail(error.kind(), "{}: {}{}", path_, text.substr(text.find(": ") + 2), hint(out.points));
    }
    return out;
  }

 private:
  bool is_precomputed() const { return !model_.expansion().parts().kernel; }

  // Takes columns out: those of the truth, which are kept, and others.
  void remove(ModelInputs& inputs, const std::vector<Index>& targets, const std::vector<Index>& others) const {
    const Points x = inputs.points;
    std::vector<Index> all = targets;
    all.insert(all.end(), others.begin(), others.end());
    if (static_cast<Index>(all.size()) >= column_count(x)) {
      fail(ErrorKind::data, "{}: no column is left for the points; it holds only the target", path_);
    }
    for (const Index position : targets) inputs.targets.push_back(column_at(x, position));
    inputs.points = without_columns(x, all);
  }

  // What stood beside the inputs of the training data is left out where it is there: by name; or by its place where
  // the columns have no names and all of it is there.
  void remove_known(ModelInputs& inputs, bool with_targets) const {
    const Points x = inputs.points;
    if (is_sparse(x) || spare(x) == 0) return;
    std::vector<Index> targets, others;
    const auto find = [&](const std::vector<std::string>& names, std::vector<Index>& out) {
      for (const std::string& name : names) {
        const Index position = remembered_position(x, name);
        if (position >= 0 && !holds(schema_.columns, name)) out.push_back(position);
      }
    };
    if (with_targets) find(model_.parts().targets, targets);
    find(model_.parts().left_out, others);
    const auto known = static_cast<Index>(targets.size() + others.size());
    const bool nameless = schema_.columns.empty() || x.column_names().empty();
    if (known > 0 && (!x.column_names().empty() || known == spare(x))) {
      remove(inputs, targets, others);
    } else if (with_targets && nameless && spare(x) == 1 && model_.parts().left_out.empty()) {
      // Without names, on one side or the other, one column too many is what there was to predict.
      remove(inputs, {column_count(x) - 1}, {});
    }
  }

  // One column too many may be a target that the model was not fitted to predict.
  std::string hint(const Points& x) const {
    if (spare(x) != 1) return "";
    for (const std::string& name : x.column_names()) {
      if (!holds(schema_.columns, name)) return fmt::format("; --target {} leaves it out", name);
    }
    return "";
  }

  // How many columns there are more than the model takes.
  Index spare(const Points& x) const {
    const Index wanted = schema_.columns.empty() ? std::max<Index>(schema_.domain.dimension, 1)
                                                 : static_cast<Index>(schema_.columns.size());
    return std::max<Index>(column_count(x) - wanted, 0);
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

// In a file of texts only, names look like any other line, unless one knows them.
Dataset read(const Model& model, const std::string& path, ReadOptions options) {
  Dataset data = read_data(path, options);
  const Schema& inputs = model.parts().inputs;
  const std::vector<std::string>& wanted = inputs.columns;
  if (options.header || path == "-" || wanted.empty() || inputs.counted || !data.counted) return data;
  options.header = true;
  Dataset other = read_data(path, options);
  const std::vector<std::string> found = other.points.column_names();
  const bool all =
      std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return holds(found, name); });
  return all ? other : data;
}

}  // namespace

Matrix ModelInputs::scores(const Model& model, const Execution& how) const {
  if (model.expansion().parts().kernel) return model.scores(points, how);
  return model.scores_from_rows(dense_rows(points).values);
}

namespace {

bool averages(const Model& model) {
  return model.has_posterior() && model.posterior().link != Link::none && model.expansion().parts().kernel;
}

}  // namespace

std::vector<Index> ModelInputs::classes(const Model& model, const Matrix& scores, const Execution& how) const {
  return averages(model) ? model.predict_classes(points, how) : model.classes_of(scores);
}

Matrix ModelInputs::probabilities(const Model& model, const Matrix& scores, const Execution& how) const {
  return averages(model) ? model.probabilities(points, how) : model.probabilities_of(scores);
}

namespace {

// Rows that are points together: what is to be predicted is one value for all of them.
ModelInputs read_groups(const Model& model, const std::string& path, const std::string& target, const Points& x,
                        const RowsTogether& together) {
  const Model::Parts& parts = model.parts();
  std::vector<Index> targets, others = {together.position};
  const auto remember = [&](const std::vector<std::string>& names, std::vector<Index>& out) {
    for (const std::string& name : names) {
      if (const Index position = remembered_position(x, name); position >= 0) out.push_back(position);
    }
  };
  if (target.empty()) remember(parts.targets, targets);
  for (const std::string& name : target.empty() ? std::vector<std::string>() : split(target, ',')) {
    targets.push_back(column_position(x, name, "--target", path));
  }
  remember(parts.left_out, others);
  others.insert(others.end(), targets.begin(), targets.end());
  if (static_cast<Index>(others.size()) >= column_count(x)) {
    fail(ErrorKind::data, "{}: no column is left for the elements of the groups", path);
  }
  ModelInputs out{together.points(without_columns(x, others))};
  for (const Index position : targets) {
    const Column column = column_at(x, position);
    out.targets.push_back(together.single(column, fmt::format("the target {}", mercer::quoted(column.name))));
  }
  parts.inputs.require(out.points);
  return out;
}

}  // namespace

ModelInputs read_inputs(const Model& model, const std::string& path, const std::string& target,
                        const FormatWords& file) {
  const bool target_file = is_data_file(target);
  if (path.empty()) {
    std::optional<Points> all = all_nodes_of(model);
    if (!all) fail(ErrorKind::usage, "DATA is missing; only a model of the nodes of a graph can do without");
    return {*all};
  }
  Dataset data = read(model, path, read_options(file));
  data.points = with_graphs(data.points, file.graphs, path);
  if (const std::optional<RowsTogether> together = rows_together(file, data.points, path)) {
    ModelInputs out = read_groups(model, path, target_file ? "" : target, data.points, *together);
    if (target_file) out.targets = read_columns(target, out.points.size());
    return out;
  }
  const std::string& kind = model.parts().inputs.domain.kind;
  if ((kind == "bags" || kind == "series") && data.points.domain().kind != kind) {
    fail(ErrorKind::usage, "{}: the model was fitted to {}; --{} COLUMN says which rows are one", path, kind,
         kind == "bags" ? "bag" : "series");
  }
  data.points = with_nodes_of(model, data.points, path);
  ModelInputs out = Fitting(model, path, data.counted).take(data.points, target_file ? "" : target);
  // Only a libsvm file has labels that nobody asked for.
  if (!data.target_name.empty()) {
    out.targets = {{data.target_name, std::move(data.target_numbers), std::move(data.target_texts)}};
  }
  if (target_file) out.targets = read_columns(target, out.points.size());
  return out;
}

}  // namespace mercer::cli
