#include "report/catalog.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "report/answers.hpp"
#include "report/charts.hpp"

namespace mercer::report {

namespace {

// "score_densities" -> "Score densities": the title of a picture that is not there.
std::string title_of(std::string_view id) {
  std::string out(id);
  std::replace(out.begin(), out.end(), '_', ' ');
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

Exhibit made(const Picture& picture, const Subject& subject) {
  try {
    Exhibit out = picture.make(subject);
    out.id = picture.id;
    return out;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return {std::string(picture.id),
            "facts",
            title_of(picture.id),
            fmt::format("This picture could not be made: {}.", error.message()),
            {{"rows", Json::array()}}};
  }
}

std::vector<Exhibit> made(const Subject& subject, auto wanted) {
  std::vector<Exhibit> out;
  for (const Picture& picture : pictures()) {
    if (wanted(picture) && picture.applies(subject)) out.push_back(made(picture, subject));
  }
  return out;
}

}  // namespace

const std::vector<Picture>& pictures() {
  static const std::vector<Picture> rows = {
      {"curve", "learnt", curve_applies, curve_picture},
      {"components", "learnt", components_apply, components_picture},
      {"regions", "learnt", regions_apply, regions_picture},
      {"levels", "learnt", levels_apply, levels_picture},
      {"relevance", "learnt", inputs_apply, relevance_picture},
      {"partial", "learnt", inputs_apply, partial_picture},
      {"surface", "fit", surface_applies, surface_picture},
      {"ridge_path", "fit", path_applies, path_picture},
      {"tuning", "fit", tuning_applies, tuning_picture},
      {"confusion", "quality", is_classification, confusion_picture},
      {"predicted_actual", "quality", is_regression, predicted_actual_picture},
      {"residuals", "quality", is_regression, residuals_picture},
      {"calibration", "quality", calibration_applies, calibration_picture},
      {"roc", "quality", ranking_applies, roc_picture},
      {"precision_recall", "quality", ranking_applies, precision_recall_picture},
      {"cutoff", "quality", cutoff_applies, cutoff_picture},
      {"reliability", "quality", reliability_applies, reliability_picture},
      {"densities", "quality", ranking_applies, densities_picture},
      {"worst", "quality", is_regression, worst_numbers_picture},
      {"worst_classes", "quality", is_classification, worst_classes_picture},
      {"outliers", "quality", novelty_applies, outliers_picture},
      {"cluster_classes", "quality", has_clusters_and_classes, cluster_classes_picture},
      {"silhouette", "quality", has_silhouettes, silhouette_picture},
      {"shepard", "quality", has_distances, shepard_picture},
      {"density", "learnt", is_density_of_one, density_curve_picture},
      {"density_levels", "learnt", is_density_of_two, density_levels_picture},
      {"least_likely", "learnt", has_density, least_likely_picture},
      {"scree", "learnt", has_components, scree_picture},
      {"embedding", "learnt", has_plane, embedding_picture},
      {"cluster_sizes", "learnt", finds_clusters, cluster_sizes_picture},
      {"strings", "learnt", explains_strings, strings_picture},
      {"graphs", "learnt", explains_graphs, graphs_picture},
      {"node_scores", "learnt", is_small_graph, node_scores_picture},
      {"waves", "kernel", is_small_graph, waves_picture},
      {"gram", "kernel", has_pairs, gram_picture},
      {"entries", "kernel", has_pairs, entries_picture},
      {"spectrum", "kernel", has_pairs, spectrum_picture},
  };
  return rows;
}

std::vector<Exhibit> exhibits_of(const Subject& subject, std::span<const std::string> wanted) {
  std::vector<std::string> names;
  for (const Picture& picture : pictures()) names.emplace_back(picture.id);
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    fail(ErrorKind::usage, "report: no picture is called {}{}; there are {}", mercer::quoted(name),
         did_you_mean(name, names), fmt::join(names, ", "));
  }
  return made(subject, [&](const Picture& picture) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), picture.id) != wanted.end();
  });
}

std::vector<Exhibit> section_of(const Subject& subject, std::string_view section) {
  return made(subject, [&](const Picture& picture) { return picture.section == section; });
}

}  // namespace mercer::report
