// mercer demo two-moons: three classifiers on two interleaved half circles.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "demo.hpp"
#include "io/embedded_data.hpp"
#include "mercer/tune.hpp"
#include "output.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

constexpr const char* kKernel = "rbf(ell=0.5)";
constexpr Index kFolds = 10;
constexpr Index kWidth = 30, kHeight = 13;  // of a picture, in characters

struct Contender {
  std::string machine;
  Settings settings;
  std::string idea;
};
const std::vector<Contender> kContenders = {
    {"svc", {{"C", "10"}}, "the widest margin"},
    {"perceptron", {}, "any line that works"},
    {"logistic", {}, "the likeliest classes"},
};

struct Result {
  Model model;
  double accuracy = 0, sd = 0;  // over the folds
  std::vector<std::string> picture = {};
};

// Points 'o' and '+' of the classes, on the region of the second class.
std::vector<std::string> picture(const Model& model, const Matrix& x, const Labels& labels) {
  double low[2], high[2];
  for (Index j = 0; j < 2; ++j) {
    low[j] = high[j] = x(0, j);
    for (Index i = 0; i < x.rows(); ++i) {
      low[j] = std::min(low[j], x(i, j));
      high[j] = std::max(high[j], x(i, j));
    }
    const double margin = 0.06 * (high[j] - low[j]);
    low[j] -= margin;
    high[j] += margin;
  }
  Matrix centres(kWidth * kHeight, 2);
  for (Index cell = 0; cell < centres.rows(); ++cell) {
    centres(cell, 0) = low[0] + (high[0] - low[0]) * (static_cast<double>(cell % kWidth) + 0.5) / kWidth;
    centres(cell, 1) = high[1] - (high[1] - low[1]) * (static_cast<double>(cell / kWidth) + 0.5) / kHeight;
  }
  const std::vector<Index> regions = model.classes_of(model.scores(rows(centres.view())));
  std::vector<std::string> cells;
  for (const Index region : regions) cells.emplace_back(region == 1 ? "░" : " ");
  for (Index i = 0; i < x.rows(); ++i) {
    const auto across = static_cast<Index>(kWidth * (x(i, 0) - low[0]) / (high[0] - low[0]));
    const auto down = static_cast<Index>(kHeight * (high[1] - x(i, 1)) / (high[1] - low[1]));
    cells[at(down * kWidth + across)] = labels.of[at(i)] == 1 ? "+" : "o";
  }
  std::vector<std::string> lines(at(kHeight));
  for (std::size_t cell = 0; cell < cells.size(); ++cell) lines[cell / at(kWidth)] += cells[cell];
  return lines;
}

}  // namespace

void demo_moons(const DemoWords& words) {
  const Matrix table_of_numbers = numbers_in(data::two_moons());
  const Index n = table_of_numbers.rows();
  const Matrix x(table_of_numbers.view().block({0, n}, {0, 2}));
  Vector names;
  for (Index i = 0; i < n; ++i) names.push_back(table_of_numbers(i, 2));
  Watch watch;
  watch.gently();
  const Training training{.K = exact(parse(kKernel), rows(x.view())),
                          .labels = Labels::from(VectorView(names)),
                          .how = {.monitor = watch.monitor()}};
  const std::vector<Fold> folds = stratified_folds(training.labels, kFolds);
  std::vector<Result> results;
  for (const Contender& contender : kContenders) {
    const Candidate held_out = cross_validate(contender.machine, contender.settings, training, folds);
    Result& result =
        results.emplace_back(Result{fit(contender.machine, contender.settings, training), held_out.mean, held_out.sd});
    watch.stop_if_asked();
    result.picture = picture(result.model, x, training.labels);
  }
  watch.done();

  if (words.as_json) {
    Json out{{"demo", "two-moons"}, {"points", n}, {"kernel", kKernel}, {"folds", kFolds}};
    for (const Result& result : results) {
      out["machines"].push_back({{"machine", result.model.parts().machine},
                                 {"accuracy", result.accuracy},
                                 {"sd", result.sd},
                                 {"centres", result.model.expansion().size()},
                                 {"picture", result.picture}});
    }
    return put_json(out);
  }
  std::string out = fmt::format(
      "{} points of two classes, o and +, and three machines with the kernel {}.\n"
      "Accuracy is on points held out, over {} folds; centres are the training points that a model keeps.\n\n",
      n, kKernel, kFolds);
  std::vector<std::vector<std::string>> rows = {{"machine", "looks for", "accuracy", "centres"}};
  for (std::size_t m = 0; m < results.size(); ++m) {
    rows.push_back({kContenders[m].machine, kContenders[m].idea,
                    fmt::format("{:.1f} % +- {:.1f}", 100 * results[m].accuracy, 100 * results[m].sd),
                    fmt::format("{} of {}", results[m].model.expansion().size(), n)});
  }
  out += table(rows, 2) + "\nWhere each says + (shaded):\n";
  std::string title = "  ";
  for (const Contender& contender : kContenders) title += padded(contender.machine, at(kWidth) + 2);
  out += title.substr(0, title.find_last_not_of(' ') + 1) + "\n";
  for (std::size_t line = 0; line < at(kHeight); ++line) {
    std::string all = " ";
    for (const Result& result : results) all += " " + result.picture[line] + " ";
    out += all.substr(0, all.find_last_not_of(' ') + 1) + "\n";
  }
  out +=
      "\nTry next:\n"
      "  mercer tune svc data/toys/two_moons.csv --grid 'C=1:1000,ell=0.1:2'\n"
      "  mercer fit logistic data/toys/two_moons.csv -o moons.mercer\n"
      "  mercer predict moons.mercer data/toys/two_moons.csv --proba\n";
  put(out);
}

}  // namespace mercer::cli
