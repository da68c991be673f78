// mercer predict: what a model says of new points.
#include <iostream>

#include "arguments.hpp"
#include "base/at.hpp"
#include "mercer/model_file.hpp"
#include "model_inputs.hpp"
#include "model_output.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

// Columns of numbers, or one of class names.
struct Answer {
  std::vector<std::string> header;
  Matrix numbers = {};
  std::vector<std::string> labels = {};
};

std::vector<std::string> target_names(const Model& model, Index count) {
  const std::vector<std::string>& known = model.parts().targets;
  if (static_cast<Index>(known.size()) == count) return known;
  if (count == 1) return {"prediction"};
  std::vector<std::string> out;
  for (Index t = 1; t <= count; ++t) out.push_back(fmt::format("prediction{}", t));
  return out;
}

// What each output of f stands for.
std::vector<std::string> score_names(const Model& model) {
  const std::vector<std::string>& classes = model.classes();
  const Index outputs = model.expansion().outputs();
  std::vector<std::string> out;
  switch (model.parts().reading) {
    case Reading::binary: return {classes[1]};
    case Reading::largest: return classes;
    case Reading::votes:
      for (std::size_t a = 0; a < classes.size(); ++a) {
        for (std::size_t b = a + 1; b < classes.size(); ++b) out.push_back(classes[a] + " against " + classes[b]);
      }
      return out;
    case Reading::ratio:
      out = target_names(model, outputs - 1);
      out.push_back("weight");
      return out;
    case Reading::value:
    case Reading::density:
    case Reading::novelty: break;
  }
  return target_names(model, outputs);
}

Answer answer_of(const Model& model, const Matrix& scores, bool as_scores, bool as_probabilities) {
  if (as_scores) return {score_names(model), scores};
  if (as_probabilities) return {model.classes(), model.probabilities_of(scores)};
  if (!model.is_classifier()) {
    Matrix values = model.targets_of(scores);
    return {target_names(model, values.cols()), std::move(values)};
  }
  Answer out{target_names(model, 1)};
  for (const Index c : model.classes_of(scores)) out.labels.push_back(model.classes()[at(c)]);
  return out;
}

void write(std::ostream& out, const Answer& answer) {
  for (std::size_t j = 0; j < answer.header.size(); ++j) out << (j > 0 ? "," : "") << csv_field(answer.header[j]);
  out << "\n";
  for (const std::string& label : answer.labels) out << csv_field(label) << "\n";
  if (answer.labels.empty()) write_csv(out, answer.numbers);
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
  bool as_scores = false, as_probabilities = false, as_json = false;
  Arguments arguments(
      "predict",
      "What a model says of each row of DATA: a class, a number, +1 or -1 (oneclass), a density (kde).\n"
      "DATA may hold the target too; it is left out. A model of a precomputed kernel takes the values\n"
      "k(x, training points), one row per point x.",
      "  mercer predict iris.mercer new.csv\n"
      "  mercer predict iris.mercer new.csv --proba -o probabilities.csv\n"
      "  mercer predict digits.mercer t10k-images-idx3-ubyte.gz --scores --json\n");
  arguments.required("MODEL", path, "A file that `mercer fit` wrote");
  arguments.required("DATA", data, "A file of CSV, TSV, LIBSVM, NPY or IDX, also .gz; - is standard input");
  arguments.flag("--scores", as_scores, "The values of f: of each class or pair of classes");
  arguments.flag("--proba", as_probabilities, "The probability of each class, if the model was fitted for it");
  arguments.option("-o,--output", output, "FILE", "A CSV file [standard output]");
  arguments.option("--target", target, "COL", "A column to leave out, if not the one the model was fitted to predict");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  arguments.option("--format", file.format, "NAME", "Of the data: auto, csv, tsv, libsvm, npy, idx");
  arguments.option("--header", file.header, "WORD", "Does the first line hold names: yes, no, auto");
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  if (as_scores && as_probabilities) fail(ErrorKind::usage, "predict: --scores or --proba, not both");
  if (!output.empty() && output != "-") require_writable(output);
  Execution how{.threads = static_cast<int>(whole_number("--threads", threads, 0, 1, 4096))};

  Watch watch;
  const Model model = load(path);
  if (as_probabilities) model.probabilities_of(MatrixView(nullptr, 0, model.expansion().outputs()));
  const ModelInputs inputs = read_inputs(model, data, target, file);
  watch.gently();
  how.monitor = watch.monitor();
  const Answer answer = answer_of(model, inputs.scores(model, how), as_scores, as_probabilities);
  watch.clear_bar();

  const auto put_answer = [&](std::ostream& out) {
    if (!as_json) return write(out, answer);
    const char* const what = as_scores ? "scores" : as_probabilities ? "probabilities" : "predictions";
    const Json all{{"machine", model.parts().machine}, {"columns", answer.header}, {what, to_json(answer)}};
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
