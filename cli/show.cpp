// mercer show: what a model file holds.
#include <filesystem>

#include "arguments.hpp"
#include "mercer/machines.hpp"
#include "mercer/model_file.hpp"
#include "mercer/recipe.hpp"
#include "output.hpp"

namespace mercer::cli {

namespace {

std::string inputs_text(const Model::Parts& parts) {
  std::string out = parts.f.parts().kernel ? parts.inputs.domain.str() : "rows of k(x, training points)";
  if (!parts.inputs.columns.empty()) out += fmt::format(": {}", fmt::join(parts.inputs.columns, ", "));
  return out;
}

std::string scaling_text(const Scaling& scaling) {
  switch (scaling.kind) {
    case Scaling::Kind::none: return "as they are";
    case Scaling::Kind::centred: return "each column less its mean";
    case Scaling::Kind::standard: return "each column less its mean, over its standard deviation";
    case Scaling::Kind::minmax: return "each column from 0 at its least to 1 at its largest value";
  }
  return "";
}

std::string settings_text(const Settings& settings) {
  std::vector<std::string> out;
  for (const auto& [name, value] : settings) out.push_back(name + "=" + value);
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string needed_text(const Expansion& f) {
  const Expansion::Parts& parts = f.parts();
  if (parts.support.empty()) return fmt::format("{} centres", f.size());
  return fmt::format("{} of the {} training points", f.size(), parts.training_size);
}

std::string text_of(const Model& model, std::uintmax_t bytes) {
  const Model::Parts& parts = model.parts();
  const std::optional<Kernel>& kernel = parts.f.parts().kernel;
  std::vector<std::vector<std::string>> rows = {{"machine", workflow::describe(model)},
                                                {"purpose", machine(parts.machine).purpose},
                                                {"settings", settings_text(parts.settings)},
                                                {"kernel", kernel ? kernel->str() : "precomputed"},
                                                {"inputs", inputs_text(parts)},
                                                {"scaled", scaling_text(parts.scaling)}};
  if (!parts.scaling.maps.empty())
    rows.insert(rows.end() - 1, std::vector<std::string>{"prepared", str(parts.scaling.maps)});
  if (model.is_classifier()) rows.push_back({"classes", fmt::format("{}", fmt::join(parts.classes, ", "))});
  if (!parts.targets.empty()) rows.push_back({"target", fmt::format("{}", fmt::join(parts.targets, ", "))});
  if (const Provenance& from = parts.provenance; !from.source.empty()) {
    rows.push_back({"fitted to", from.source + (from.sha256.empty() ? "" : ", SHA-256 " + from.sha256)});
  }
  rows.push_back({"predicts from", needed_text(parts.f)});
  rows.push_back({"file", bytes_text(static_cast<double>(bytes))});
  std::string out = table(rows);
  if (parts.recipe) {
    out += "\ncolumns\n";
    for (const ColumnRecipe& column : parts.recipe->columns) out += "  " + str(column) + "\n";
  }
  if (kernel) {
    out += "\nproof\n" + indented(kernel->proof().str(), 2);
    const Params params = kernel->params();
    if (params.size() > 0) out += "\nparameters\n" + params_table(params, 2);
  }
  return out + "\nreport\n" + indented(parts.report.str(), 2);
}

}  // namespace

int run_show(const Words& words) {
  std::string path;
  bool as_json = false;
  Arguments arguments("show",
                      "What a model file holds: the machine, its kernel with values and proof, the inputs it takes, "
                      "classes or target, and how its fit went.",
                      "  mercer show iris.mercer\n  mercer show iris.mercer --json\n");
  arguments.required("MODEL", path, "A file that `mercer fit` wrote");
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  const Model model = load(path);
  const std::uintmax_t bytes = std::filesystem::file_size(path);
  if (!as_json) {
    put(text_of(model, bytes));
    return 0;
  }
  Json out = to_json(model);
  if (const std::optional<Kernel>& kernel = model.expansion().parts().kernel) {
    out["proof"] = to_json(kernel->proof());
    out["parameters"] = to_json(kernel->params());
  }
  out["bytes"] = bytes;
  put_json(out);
  return 0;
}

}  // namespace mercer::cli
