// mercer explain-prediction: what each letter of a string, node of a graph or element of a bag contributes to a score.
#include <algorithm>
#include <cmath>

#include "arguments.hpp"
#include "base/at.hpp"
#include "base/fail.hpp"
#include "colour.hpp"
#include "input_words.hpp"
#include "mercer/explain.hpp"
#include "mercer/model_file.hpp"
#include "output.hpp"

namespace mercer::cli {

namespace {

// The class or cluster that is predicted; empty where numbers are.
std::string predicted_name(const Model& model, const Points& one) {
  return model.parts().reading->gives == Reading::Gives::numbers ? "" : model.predict_labels(one)[0];
}

double sum_of(const Contribution& part, Index output) {
  double total = 0;
  for (Index p = 0; p < part.values.rows(); ++p) total += part.values(p, output);
  return total;
}

// A bar to the right for what speaks for the score, to the left for what speaks against it.
std::string bar(double value, double largest) {
  constexpr int kHalf = 20;
  const int length = largest > 0 ? static_cast<int>(std::lround(std::abs(value) / largest * kHalf)) : 0;
  const std::string ink(at(length), value < 0 ? '-' : '+');
  return value < 0 ? std::string(at(kHalf - length), ' ') + ink : std::string(kHalf, ' ') + ink;
}

void put_text(const Explanation& found, const std::string& predicted, Index output) {
  if (!predicted.empty()) put(fmt::format("predicted  {}\n", predicted));
  put(fmt::format("{}  {:.6g}\nbias  {:.6g}\n", found.names[at(output)], found.scores[at(output)],
                  found.bias[at(output)]));
  for (const Contribution& part : found.parts) {
    double largest = 0;
    for (Index p = 0; p < part.values.rows(); ++p) largest = std::max(largest, std::abs(part.values(p, output)));
    put(fmt::format("\n{}contributions  {:.6g}\n", part.column.empty() ? "" : part.column + ": ",
                    sum_of(part, output)));
    for (Index p = 0; p < part.values.rows(); ++p) {
      const double value = part.values(p, output);
      put(fmt::format("{:>6}  {:<6} {:>12.5g}  {}\n", p + 1, part.places[at(p)], value, bar(value, largest)));
    }
  }
}

Json to_json(const Explanation& found, const std::string& predicted, Index output) {
  Json parts = Json::array();
  for (const Contribution& part : found.parts) {
    Json values = Json::array();
    for (Index p = 0; p < part.values.rows(); ++p) values.push_back(part.values(p, output));
    parts.push_back({{"column", part.column}, {"places", part.places}, {"contributions", std::move(values)}});
  }
  Json out = {{"output", found.names[at(output)]},
              {"score", found.scores[at(output)]},
              {"bias", found.bias[at(output)]},
              {"parts", std::move(parts)}};
  if (!predicted.empty()) out["predicted"] = predicted;
  return out;
}

}  // namespace

int run_explain_prediction(const Words& words) {
  std::string path, data, target, which, score;
  FormatWords file;
  bool as_json = false;
  Arguments arguments("explain-prediction",
                      "What each letter of a string, node of a graph or element of a bag contributes to a score of a "
                      "model. The contributions and the bias add up to the score. For kernels that are inner products "
                      "of counts, such as spectrum and wl, and mean_embedding of bags, their sums and normalised ones; "
                      "beside them, any other term of a sum contributes one number.",
                      "  mercer explain-prediction promoters.mercer promoters.tsv --row 3\n"
                      "  mercer explain-prediction molecules.mercer molecules.csv --bag molecule --row 2\n");
  arguments.required("MODEL", path, "A file that `mercer fit` wrote");
  arguments.required("DATA", data, "Points such as it was fitted to");
  arguments.option("--row", which, "N", "Which of them, counted from 1");
  arguments.option("--output", score, "N",
                   "Which score, where there are several, counted from 1 in the order of `predict --scores`; else that "
                   "of the predicted class, of pairs the one against its hardest rival");
  arguments.option("--target", target, "COL", "A column to leave out: its name, or its number from 1");
  file.declare(arguments);
  file.declare_structure(arguments);
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;

  const Model model = load(path);
  const workflow::Inputs inputs = workflow::inputs_for(model, file.source(data), target);
  for (const std::string& remark : inputs.remarks) say(remark);
  const Points& x = inputs.points;
  const Index row = whole_number("--row", which, 1, 1, x.size());
  const Points one = x.slice({row - 1, row});
  const Explanation found = explain_prediction(model, one);
  const auto outputs = static_cast<Index>(found.scores.size());
  const Index output = whole_number("--output", score, found.deciding + 1, 1, outputs) - 1;
  const std::string predicted = predicted_name(model, one);
  if (as_json) {
    put_json(to_json(found, predicted, output));
  } else {
    put_text(found, predicted, output);
  }
  return 0;
}

}  // namespace mercer::cli
