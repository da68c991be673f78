// mercer predict: what a model says of new points.
#include <cmath>
#include <iostream>

#include "arguments.hpp"
#include "base/at.hpp"
#include "base/parallel.hpp"
#include "graph_columns.hpp"
#include "io/csv_field.hpp"
#include "mercer/machines/pca.hpp"
#include "mercer/model_file.hpp"
#include "model_inputs.hpp"
#include "model_output.hpp"
#include "node_columns.hpp"
#include "row_groups.hpp"
#include "uncertainty.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

// Columns of numbers, or one of class names.
struct Answer {
  std::vector<std::string> header;
  Matrix numbers = {};
  std::vector<std::string> labels = {};
  std::vector<std::string> kernels = {};  // of the components
  std::vector<std::string> nodes = {};    // what the points are called, where no file says it
};

enum class Ask { predictions, scores, probabilities, deviations, components, pre_images };

// Columns of each target's mean and deviation, side by side.
void add_pair(Answer& answer, const std::string& name, const Matrix& mean, const Matrix& deviation, Index target,
              Index column) {
  answer.header.insert(answer.header.end(), {name, name + "_std"});
  for (Index i = 0; i < mean.rows(); ++i) {
    answer.numbers(i, column) = mean(i, target);
    answer.numbers(i, column + 1) = deviation(i, target);
  }
}

Answer answer_with_deviations(const Model& model, const ModelInputs& inputs, bool with_noise, const Execution& how) {
  const Matrix mean = inputs.scores(model, how), deviation = deviations(model, inputs.points, with_noise, how);
  const std::vector<std::string> names = model.score_names();
  Answer out{{}, Matrix(mean.rows(), 2 * mean.cols())};
  for (Index t = 0; t < mean.cols(); ++t) add_pair(out, names[at(t)], mean, deviation, t, 2 * t);
  return out;
}

// f, and then each addend of its kernel; of several targets one after the other.
Answer answer_by_components(const Model& model, const ModelInputs& inputs, const Execution& how) {
  const Matrix mean = inputs.scores(model, how), deviation = deviations(model, inputs.points, false, how);
  std::vector<Component> parts = components(model, inputs.points, how);
  const std::vector<std::string> targets = model.score_names(), names = names_of(parts);
  for (Component& part : parts) {
    for (Index i = 0; i < part.variance.rows(); ++i) {
      for (Index t = 0; t < part.variance.cols(); ++t) part.variance(i, t) = std::sqrt(part.variance(i, t));
    }
  }
  const auto pairs = static_cast<Index>(parts.size()) + 1;
  Answer out{{}, Matrix(mean.rows(), 2 * pairs * mean.cols())};
  for (Index t = 0; t < mean.cols(); ++t) {
    const std::string prefix = mean.cols() == 1 ? "" : targets[at(t)] + ":";
    add_pair(out, targets[at(t)], mean, deviation, t, 2 * pairs * t);
    for (std::size_t c = 0; c < parts.size(); ++c) {
      add_pair(out, prefix + names[c], parts[c].mean, parts[c].variance, t,
               2 * (pairs * t + static_cast<Index>(c) + 1));
    }
  }
  for (const Component& part : parts) out.kernels.push_back(part.kernel ? part.kernel->str() : "mean");
  return out;
}

// The inputs that the coordinates stand for: by the fixed point where there is one, else learnt.
Answer answer_of_pre_images(const Model& model, const ModelInputs& inputs, const Execution& how) {
  const Matrix coordinates = model.targets_of(inputs.scores(model, how));
  Answer out{model.parts().inputs.columns};
  if (has_fixed_point(model)) {
    out.numbers = pre_images(model, coordinates, how);
  } else {
    say("pre-images learnt from the training points, by ridge regression on their coordinates");
    out.numbers = learn_pre_images(model, parse("rbf(ell=auto)"), 1e-3, how).predict_targets(rows(coordinates.view()));
  }
  for (Index j = static_cast<Index>(out.header.size()); j < out.numbers.cols(); ++j) {
    out.header.push_back(fmt::format("x{}", j + 1));
  }
  return out;
}

Answer answer_of(const Model& model, const ModelInputs& inputs, Ask ask, bool with_noise, const Execution& how) {
  if (ask == Ask::deviations) return answer_with_deviations(model, inputs, with_noise, how);
  if (ask == Ask::components) return answer_by_components(model, inputs, how);
  if (ask == Ask::pre_images) return answer_of_pre_images(model, inputs, how);
  const Matrix scores = inputs.scores(model, how);
  if (ask == Ask::scores) return {model.score_names(), scores};
  if (ask == Ask::probabilities) return {model.classes(), inputs.probabilities(model, scores, how)};
  if (model.parts().reading->gives == Reading::Gives::numbers) return {model.answer_names(), model.targets_of(scores)};
  Answer out{model.answer_names()};
  for (const Index c : inputs.classes(model, scores, how)) out.labels.push_back(model.classes()[at(c)]);
  return out;
}

// What the machine found for the training points.
Answer fitted_answer(const Model& model) {
  const Matrix& found = model.parts().fitted;
  Answer out{model.answer_names()};
  if (model.finds_clusters()) {
    for (Index i = 0; i < found.rows(); ++i) out.labels.push_back(model.classes()[at(static_cast<Index>(found(i, 0)))]);
  } else {
    out.numbers = found;
  }
  return out;
}

// Refused before the data are read.
void require_answer(const Model& model, Ask ask, bool with_noise) {
  if (ask == Ask::probabilities) model.require_probabilities();
  if (ask == Ask::deviations) require_posterior(model, "predict: --std");
  if (ask == Ask::components) require_posterior(model, "predict: --components");
  if (ask == Ask::pre_images) require_pre_images(model);
  if (with_noise && model.is_classifier()) {
    fail(ErrorKind::usage, "predict: --noise: a {} observes classes and has no noise to add", model.parts().machine);
  }
}

// What reads its answers off a space of few dimensions.
Model with_coordinates(const Model& model) {
  const Reading reading = model.parts().reading;
  if (reading != Reading::class_means && reading != Reading::mixture) {
    fail(ErrorKind::usage, "predict: --coordinates are those of kfda and gmm; the model is one of {}",
         model.parts().machine);
  }
  return model.as_embedding();
}

void write(std::ostream& out, const Answer& answer) {
  if (!answer.nodes.empty()) out << "node,";
  for (std::size_t j = 0; j < answer.header.size(); ++j) out << (j > 0 ? "," : "") << csv_field(answer.header[j]);
  out << "\n";
  const auto put_node = [&](std::size_t i) {
    if (!answer.nodes.empty()) out << csv_field(answer.nodes[i]) << ",";
  };
  for (std::size_t i = 0; i < answer.labels.size(); ++i) {
    put_node(i);
    out << csv_field(answer.labels[i]) << "\n";
  }
  if (!answer.labels.empty()) return;
  if (answer.nodes.empty()) return write_csv(out, answer.numbers);
  for (Index i = 0; i < answer.numbers.rows(); ++i) {
    put_node(at(i));
    write_csv(out, answer.numbers.view().block({i, i + 1}, {0, answer.numbers.cols()}));
  }
}

Json to_json(const Answer& answer) {
  if (!answer.labels.empty() || answer.numbers.cols() == 0) return answer.labels;
  Json out = Json::array();
  for (Index i = 0; i < answer.numbers.rows(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < answer.numbers.cols(); ++j) row.push_back(json_number(answer.numbers(i, j)));
    out.push_back(answer.numbers.cols() == 1 ? row[0] : row);
  }
  return out;
}

}  // namespace

int run_predict(const Words& words) {
  std::string path, data, output, target, threads;
  FormatWords file;
  bool as_scores = false, as_probabilities = false, with_std = false, with_noise = false, as_parts = false;
  bool as_coordinates = false, as_inputs = false, as_json = false;
  Arguments arguments(
      "predict",
      "What a model says of each row of DATA: a class, a number, +1 or -1 (oneclass), a density (kde), a cluster,\n"
      "coordinates.\n"
      "DATA may hold the target too; it is left out. A model of a precomputed kernel takes the values\n"
      "k(x, training points), one row per point x, and k(x, x) last where it measures distances. A model of the\n"
      "nodes of a graph takes a file of nodes, or none: then it says of each node of its graph what it is called\n"
      "and what the model says of it. Of clusters and coordinates, no DATA means the training points.",
      "  mercer predict iris.mercer new.csv\n"
      "  mercer predict iris.mercer new.csv --proba -o probabilities.csv\n"
      "  mercer predict digits.mercer t10k-images-idx3-ubyte.gz --scores --json\n"
      "  mercer predict co2.mercer years.csv --std --noise\n"
      "  mercer predict co2.mercer years.csv --components -o parts.csv\n"
      "  mercer predict pca.mercer digits.csv --pre-images -o without_noise.csv\n"
      "  mercer predict friends.mercer > all.csv\n");
  arguments.required("MODEL", path, "A file that `mercer fit` wrote");
  arguments.optional("DATA", data,
                     "A file of CSV, TSV, LIBSVM, NPY or IDX, also .gz; - is standard input; of a model of the "
                     "nodes of a graph: all nodes, if left out; of clusters and coordinates: the training points");
  arguments.flag("--coordinates", as_coordinates,
                 "Where the points are in the space in which kfda separates classes, or gmm fits Gaussians");
  arguments.flag("--scores", as_scores, "The values of f: of each class or pair of classes");
  arguments.flag("--proba", as_probabilities, "The probability of each class, if the model was fitted for it");
  arguments.flag("--std", with_std,
                 "Beside each mean the standard deviation of f, from models that know it (gp, rvm, gpc): how sure they "
                 "are");
  arguments.flag("--noise", with_noise, "With --std: of an observation instead, which has noise besides");
  arguments.flag("--components", as_parts,
                 "Mean and standard deviation of f and of each term of a gp's kernel k1 + k2 + ...");
  arguments.flag("--pre-images", as_inputs,
                 "Of a pca: the inputs that its coordinates of each row stand for, as if the rest were noise");
  arguments.option("-o,--output", output, "FILE", "A CSV file [standard output]");
  arguments.option("--target", target, "COL", "A column to leave out, if not the one the model was fitted to predict");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  arguments.option("--format", file.format, "NAME", format_help());
  arguments.option("--header", file.header, "WORD", "Does the first line hold names: yes, no, auto");
  arguments.option("--graphs", file.graphs, "COL=FOLDER", kGraphsHelp);
  declare_groups(arguments, file);
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  if (as_scores + as_probabilities + with_std + as_parts + as_inputs + as_coordinates > 1) {
    fail(ErrorKind::usage,
         "predict: one of --scores, --proba, --std, --components, --pre-images and --coordinates, not several");
  }
  if (with_noise && !with_std) fail(ErrorKind::usage, "predict: --noise goes with --std");
  const Ask ask = as_scores          ? Ask::scores
                  : as_probabilities ? Ask::probabilities
                  : with_std         ? Ask::deviations
                  : as_parts         ? Ask::components
                  : as_inputs        ? Ask::pre_images
                                     : Ask::predictions;
  if (!output.empty() && output != "-") require_writable(output);
  Execution how{.threads = static_cast<int>(whole_number("--threads", threads, 0, 1, 4096))};
  const Threads limit(how.threads);

  Watch watch;
  const Model model = [&] {
    const Model read = load(path);
    return as_coordinates ? with_coordinates(read) : read;
  }();
  require_answer(model, ask, with_noise);
  const auto ask_model = [&] {
    const ModelInputs inputs = read_inputs(model, data, target, file);
    watch.gently();
    how.monitor = watch.monitor();
    Answer out = answer_of(model, inputs, ask, with_noise, how);
    if (data.empty()) out.nodes = node_names(inputs.points);
    return out;
  };
  const bool of_training = data.empty() && ask == Ask::predictions && model.parts().fitted.rows() > 0;
  const Answer answer = of_training ? fitted_answer(model) : ask_model();
  watch.clear_bar();

  const auto put_answer = [&](std::ostream& out) {
    if (!as_json) return write(out, answer);
    const char* const what = as_scores ? "scores" : as_probabilities ? "probabilities" : "predictions";
    Json all{{"machine", model.parts().machine}, {"columns", answer.header}, {what, to_json(answer)}};
    if (!answer.kernels.empty()) all["components"] = answer.kernels;
    if (!answer.nodes.empty()) all["nodes"] = answer.nodes;
    out << all.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  };
  if (output.empty() || output == "-") {
    put_answer(std::cout);
  } else {
    write_atomically(output, put_answer);
  }
  return 0;
}

}  // namespace mercer::cli
