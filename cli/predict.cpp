// mercer predict: what a model says of new points.
#include <iostream>

#include "arguments.hpp"
#include "base/at.hpp"
#include "distributed/ranks.hpp"
#include "file/file_hash.hpp"
#include "input_words.hpp"
#include "io/csv_field.hpp"
#include "mercer/io.hpp"
#include "mercer/model_file.hpp"
#include "output.hpp"
#include "predict_files.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

std::string header_of(const workflow::PredictResult& answer) {
  std::string out = answer.nodes.empty() ? "" : "node,";
  for (std::size_t j = 0; j < answer.header.size(); ++j) out += (j > 0 ? "," : "") + csv_field(answer.header[j]);
  return out;
}

void write_rows(std::ostream& out, const workflow::PredictResult& answer) {
  const auto put_node = [&](std::size_t i) {
    if (!answer.nodes.empty()) out << csv_field(answer.nodes[i]) << ",";
  };
  for (std::size_t i = 0; i < answer.labels.size(); ++i) {
    put_node(i);
    out << csv_field(answer.labels[i]);
    if (!answer.sets.empty()) out << "," << csv_field(fmt::format("{}", fmt::join(answer.sets[i], "|")));
    out << "\n";
  }
  if (!answer.labels.empty()) return;
  if (answer.nodes.empty()) return write_csv(out, answer.numbers);
  for (Index i = 0; i < answer.numbers.rows(); ++i) {
    put_node(at(i));
    write_csv(out, answer.numbers.view().block({i, i + 1}, {0, answer.numbers.cols()}));
  }
}

// All answers, some rows at a time.
void write_answers(std::ostream& out, const workflow::PredictRequest& request, const Execution& how) {
  bool begun = false;
  const auto take = [&](const workflow::PredictResult& answer) {
    for (const std::string& remark : answer.remarks) say(remark);
    if (!begun) out << header_of(answer) << "\n";
    begun = true;
    write_rows(out, answer);
    return static_cast<bool>(out);  // a full disk is for the writer to tell
  };
  workflow::predict(request, take, how);
}

// The line that answers to such a request begin with.
std::string header_for(const workflow::PredictRequest& request, const Execution& how) {
  std::string out;
  const auto take = [&](const workflow::PredictResult& answer) {
    out = header_of(answer);
    return false;
  };
  workflow::predict(request, take, how, 1);
  return out;
}

// One output for each input; those that are complete stay as they are. Several processes share the inputs.
void predict_files(workflow::PredictRequest request, const std::string& model, const std::string& folder,
                   const Execution& how) {
  const std::vector<FilePair> all = outputs_in(folder, request.source.path);
  distributed::require_same(request.source.path, fmt::format("{} files", all.size()));
  if (distributed::several()) distributed::require_same(model, "SHA-256 " + file_hash(model));
  std::size_t complete = 0;
  const auto predict = [&](const FilePair& files) {
    request.source.path = files.input;
    if (!is_up_to_date(files, model)) {
      write_file(files.output, [&](std::ostream& out) { write_answers(out, request, how); });
      return "made";
    }
    if (first_line_of(files.output) != header_for(request, how)) {
      fail(ErrorKind::file, "{}: holds other answers than are asked for; remove it, or give another folder",
           files.output);
    }
    return "complete";
  };
  distributed::each(
      "predict", static_cast<Index>(all.size()), [&](Index file) { return predict(all[at(file)]); },
      [&](const std::string& done) { complete += done == "complete" ? 1 : 0; });
  if (complete == 0) return;
  say(fmt::format("{} of {} files in {} {} complete already, and left as {}", complete, all.size(), folder,
                  complete == 1 ? "is" : "are", complete == 1 ? "it is" : "they are"));
}

}  // namespace

int run_predict(const Words& words) {
  std::string path, data, output, target, threads;
  FormatWords file;
  std::string interval;
  bool adaptive = false;
  bool as_scores = false, as_probabilities = false, with_std = false, with_noise = false, as_parts = false;
  bool as_coordinates = false, as_inputs = false, as_json = false;
  Arguments arguments(
      "predict",
      "What a model says of each row of DATA: a class, a number, +1 or -1 (oneclass), a density (kde), a cluster, "
      "coordinates. DATA may hold the target too; it is ignored. Large files are read, predicted and written some rows "
      "at "
      "a time.\n"
      "A model of a precomputed kernel takes the values k(x, training points), one row per point x, and k(x, x) last "
      "where it measures distances. A model of the nodes of a graph takes a file of nodes, or none: then it prints the "
      "name and the prediction of every node. For clusters and coordinates, no DATA means the training points.",
      "  mercer predict iris.mercer new.csv\n"
      "  mercer predict iris.mercer new.csv --proba -o probabilities.csv\n"
      "  mercer predict iris.mercer 'in/*.csv.gz' -o out/\n"
      "  mercer predict digits.mercer t10k-images-idx3-ubyte.gz --scores --json\n"
      "  mercer predict co2.mercer years.csv --std --noise\n"
      "  mercer predict houses.mercer new.csv --interval 90\n"
      "  mercer predict iris.mercer new.csv --interval 95 --json\n"
      "  mercer predict co2.mercer years.csv --components -o parts.csv\n"
      "  mercer predict pca.mercer digits.csv --pre-images -o without_noise.csv\n"
      "  mercer predict friends.mercer > all.csv\n");
  arguments.required("MODEL", path, "A file that `mercer fit` wrote");
  arguments.optional(
      "DATA", data,
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
  arguments.option("--interval", interval, "PERCENT",
                   "Beside each number the ends of an interval in which that many of a hundred new observations lie, "
                   "whatever their distribution (ridge and gp; others fitted with --intervals); beside each class a "
                   "set of classes, a|b, that holds the truth as often (classifiers fitted with --intervals)");
  arguments.flag("--adaptive", adaptive, "With --interval: of a gp, wider where it knows less");
  arguments.flag("--components", as_parts,
                 "Mean and standard deviation of f and of each term of a gp's kernel k1 + k2 + ...");
  arguments.flag("--pre-images", as_inputs,
                 "Of a pca: the inputs that its coordinates of each row stand for, as if the rest were noise");
  arguments.option(
      "-o,--output", output, "FILE",
      "A CSV file [standard output]; or a folder (out/): each input file gives one of its name, those that "
      "are complete and newer than input and model are left as they are");
  arguments.is_output_or_folder();
  arguments.option("--target", target, "COL", "A column to leave out, if not the one the model was fitted to predict");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  file.declare(arguments);
  file.declare_structure(arguments);
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  const bool with_interval = !interval.empty();
  if (as_scores + as_probabilities + with_std + with_interval + as_parts + as_inputs + as_coordinates > 1) {
    fail(ErrorKind::usage,
         "predict: one of --scores, --proba, --std, --interval, --components, --pre-images and --coordinates, not "
         "several");
  }
  if (adaptive && !with_interval) fail(ErrorKind::usage, "predict: --adaptive goes with --interval");
  if (with_noise && !with_std) fail(ErrorKind::usage, "predict: --noise goes with --std");
  using workflow::Answers;
  const Answers answers = as_scores          ? Answers::scores
                          : as_probabilities ? Answers::probabilities
                          : with_std         ? Answers::deviations
                          : with_interval    ? Answers::intervals
                          : as_parts         ? Answers::components
                          : as_inputs        ? Answers::pre_images
                          : as_coordinates   ? Answers::coordinates
                                             : Answers::predictions;
  if (distributed::several() && !names_folder(output)) {
    fail(ErrorKind::usage, "predict: {} processes share files, and each gives one of its own; name a folder (-o out/)",
         distributed::ranks());
  }
  Execution how = execution(threads);

  Watch watch;
  how.monitor = watch.monitor();
  workflow::PredictRequest request{
      .model = load(path), .source = file.source(data), .target = target, .answers = answers, .noise = with_noise};
  if (with_interval) request.interval = {.coverage = coverage_word(interval), .adaptive = adaptive};
  if (names_folder(output)) {
    if (as_json) fail(ErrorKind::usage, "predict: --json makes one text; name a file (-o), or leave it out");
    predict_files(std::move(request), path, output, how);
  } else if (as_json) {
    const workflow::PredictResult answer = workflow::predict(request, how);
    watch.done();
    for (const std::string& remark : answer.remarks) say(remark);
    write_output(output, [&](std::ostream& out) { out << workflow::text_of(to_json(answer)) << "\n"; });
  } else {
    write_when_complete(output, [&](std::ostream& out) {
      write_answers(out, request, how);
      watch.done();
    });
  }
  return 0;
}

}  // namespace mercer::cli
