#include "model_inputs.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "points/rep.hpp"

namespace mercer::cli {

namespace {

// Nobody gave these names: the reader counted the columns of the file.
bool are_counted(const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return name.size() > 1 && name[0] == 'x' && name.find_first_not_of("0123456789", 1) == std::string::npos;
  });
}

Index position_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : found - names.begin();
}

Points renamed(const Points& x, const std::vector<std::string>& names) {
  if (x.domain().kind == "reals") return named(x, names);
  std::vector<std::pair<std::string, Points>> parts;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto number = static_cast<Index>(j) + 1;
    parts.emplace_back(names[j], x.columns(Columns(std::vector<Columns::Item>{{number, number}})));
  }
  return table(std::move(parts));
}

class Fitting {
 public:
  Fitting(const Model& model, const std::string& path) : model_(model), schema_(model.parts().inputs), path_(path) {}

  ModelInputs take(Points x, const std::string& target) const {
    ModelInputs out{std::move(x)};
    for (const std::string& name : split(target, ',')) {
      if (!name.empty()) remove(out, named_position(out.points, name));
    }
    if (is_precomputed()) return out;
    if (target.empty()) remove_known(out);
    // Columns that were only counted may have been counted with the target between them.
    const std::vector<std::string> names = out.points.column_names();
    if (!names.empty() && names.size() == schema_.columns.size() && names != schema_.columns && are_counted(names) &&
        are_counted(schema_.columns)) {
      out.points = renamed(out.points, schema_.columns);
    }
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

  static void remove(ModelInputs& inputs, Index position) {
    inputs.targets.push_back(column_at(inputs.points, position));
    inputs.points = without_column(inputs.points, position);
  }

  Index named_position(const Points& x, const std::string& name) const {
    const std::vector<std::string> names = x.column_names();
    Index position = position_of(names, name);
    if (position < 0 && (names.empty() || are_counted(names))) {
      const auto number = parse_number(name);
      if (number && *number >= 1 && *number <= static_cast<double>(column_count(x))) {
        position = static_cast<Index>(*number) - 1;
      }
    }
    if (position < 0) {
      fail(ErrorKind::data, "{}: no column {} to be the target{}", path_, quoted(name), did_you_mean(name, names));
    }
    return position;
  }

  void remove_known(ModelInputs& inputs) const {
    for (const std::string& name : model_.parts().targets) {
      const Index position = position_of(inputs.points.column_names(), name);
      if (position >= 0 && position_of(schema_.columns, name) < 0 && spare(inputs.points)) remove(inputs, position);
    }
    // Without names, on one side or the other, one column too many is what there was to predict.
    const bool nameless = schema_.columns.empty() || inputs.points.column_names().empty();
    if (inputs.targets.empty() && nameless && !is_sparse(inputs.points) && spare(inputs.points) == 1) {
      remove(inputs, column_count(inputs.points) - 1);
    }
  }

  // One column too many may be a target that the model was not fitted to predict.
  std::string hint(const Points& x) const {
    if (spare(x) != 1) return "";
    for (const std::string& name : x.column_names()) {
      if (position_of(schema_.columns, name) < 0) return fmt::format("; --target {} leaves it out", name);
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
    const SparseMatrix& values = dynamic_cast<const SparseReals&>(x.rep()).values;
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
};

// In a file of texts only, names look like any other line, unless one knows them.
Dataset read(const Model& model, const std::string& path, ReadOptions options) {
  Dataset data = read_data(path, options);
  const std::vector<std::string>& wanted = model.parts().inputs.columns;
  const std::vector<std::string> names = data.points.column_names();
  if (options.header || path == "-" || wanted.empty() || names.empty() || !are_counted(names) || are_counted(wanted)) {
    return data;
  }
  options.header = true;
  Dataset other = read_data(path, options);
  const std::vector<std::string> found = other.points.column_names();
  const bool all =
      std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return position_of(found, name) >= 0; });
  return all ? other : data;
}

}  // namespace

Matrix ModelInputs::scores(const Model& model, const Execution& how) const {
  if (model.expansion().parts().kernel) return model.scores(points, how);
  return model.expansion().from_rows(dense_rows(points).values);
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

bool gives_probabilities(const Model& model) {
  return averages(model) || model.parts().calibration.kind != Calibration::Kind::none;
}

ModelInputs read_inputs(const Model& model, const std::string& path, const std::string& target,
                        const FormatWords& file) {
  const bool target_file = is_data_file(target);
  Dataset data = read(model, path, read_options(file));
  ModelInputs out = Fitting(model, path).take(data.points, target_file ? "" : target);
  // Only a libsvm file has labels that nobody asked for.
  if (!data.target.empty()) out.targets = {{data.target_name, std::move(data.target), std::move(data.target_numbers)}};
  if (target_file) out.targets = read_columns(target, out.points.size());
  return out;
}

}  // namespace mercer::cli
