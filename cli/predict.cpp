// mercer predict: what a model says of new points.
#include <iostream>

#include "arguments.hpp"
#include "base/at.hpp"
#include "input_words.hpp"
#include "io/csv_field.hpp"
#include "mercer/io.hpp"
#include "mercer/model_file.hpp"
#include "output.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

void write(std::ostream& out, const workflow::PredictResult& answer) {
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

}  // namespace

int run_predict(const Words& words) {
  std::string path, data, output, target, threads;
  FormatWords file;
  bool as_scores = false, as_probabilities = false, with_std = false, with_noise = false, as_parts = false;
  bool as_coordinates = false, as_inputs = false, as_json = false;
  Arguments arguments(
      "predict",
      "What a model says of each row of DATA: a class, a number, +1 or -1 (oneclass), a density (kde), a cluster, "
      "coordinates. DATA may hold the target too; it is ignored.\n"
      "A model of a precomputed kernel takes the values k(x, training points), one row per point x, and k(x, x) last "
      "where it measures distances. A model of the nodes of a graph takes a file of nodes, or none: then it prints the "
      "name and the prediction of every node. For clusters and coordinates, no DATA means the training points.",
      "  mercer predict iris.mercer new.csv\n"
      "  mercer predict iris.mercer new.csv --proba -o probabilities.csv\n"
      "  mercer predict digits.mercer t10k-images-idx3-ubyte.gz --scores --json\n"
      "  mercer predict co2.mercer years.csv --std --noise\n"
      "  mercer predict co2.mercer years.csv --components -o parts.csv\n"
      "  mercer predict pca.mercer digits.csv --pre-images -o without_noise.csv\n"
      "  mercer predict friends.mercer > all.csv\n");
  arguments.required("MODEL", path, "A file that `mercer fit` wrote");
  arguments.optional("DATA", data,
                     kDataHelp + std::string("; of a model of the nodes of a graph: all nodes, if left out; of clusters and "
                                             "coordinates: the training points"));
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
  arguments.is_output();
  arguments.option("--target", target, "COL", "A column to leave out, if not the one the model was fitted to predict");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  file.declare(arguments);
  file.declare_structure(arguments);
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  if (as_scores + as_probabilities + with_std + as_parts + as_inputs + as_coordinates > 1) {
    fail(ErrorKind::usage,
         "predict: one of --scores, --proba, --std, --components, --pre-images and --coordinates, not several");
  }
  if (with_noise && !with_std) fail(ErrorKind::usage, "predict: --noise goes with --std");
  using workflow::Answers;
  const Answers answers = as_scores          ? Answers::scores
                          : as_probabilities ? Answers::probabilities
                          : with_std         ? Answers::deviations
                          : as_parts         ? Answers::components
                          : as_inputs        ? Answers::pre_images
                          : as_coordinates   ? Answers::coordinates
                                             : Answers::predictions;
  Execution how = execution(threads);

  Watch watch;
  how.monitor = watch.monitor();
  const workflow::PredictResult answer = workflow::predict(
      {.model = load(path), .source = file.source(data), .target = target, .answers = answers, .noise = with_noise},
      how);
  watch.done();

  for (const std::string& remark : answer.remarks) say(remark);
  write_output(output, [&](std::ostream& out) {
    as_json ? void(out << workflow::text_of(to_json(answer)) << "\n") : write(out, answer);
  });
  return 0;
}

}  // namespace mercer::cli
