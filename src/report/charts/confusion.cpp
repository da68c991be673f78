// Who was taken for whom.
#include <fmt/format.h>

#include "base/at.hpp"
#include "mercer/metrics.hpp"
#include "report/answers.hpp"
#include "report/charts.hpp"

namespace mercer::report {

namespace {

struct Mistake {
  Index truth = 0, predicted = 0;
  double count = 0;
};
Mistake commonest(const Matrix& counts) {
  Mistake out;
  for (Index i = 0; i < counts.rows(); ++i) {
    for (Index j = 0; j < counts.cols(); ++j) {
      if (i != j && counts(i, j) > out.count) out = {i, j, counts(i, j)};
    }
  }
  return out;
}

}  // namespace

Exhibit confusion_picture(const Subject& subject) {
  const Answers& said = answers(subject);
  const std::vector<std::string>& classes = subject.labels.classes;
  const Matrix counts = confusion(subject.labels.of, said.said.classes, static_cast<Index>(classes.size()));
  Json rows = Json::array();
  double right = 0, all = 0;
  for (Index i = 0; i < counts.rows(); ++i) {
    rows.push_back(std::vector<Index>(counts.row(i), counts.row(i) + counts.cols()));
    right += counts(i, i);
    for (Index j = 0; j < counts.cols(); ++j) all += counts(i, j);
  }
  std::string finding = fmt::format("{} of {} points are put into their class ({})", right, all, said.words);
  if (const Mistake worst = commonest(counts); worst.count > 0) {
    finding += fmt::format("; the commonest mistake is {} taken for {}, {} times", classes[at(worst.truth)],
                           classes[at(worst.predicted)], worst.count);
  }
  return {"confusion", "confusion", "Who was taken for whom", finding + ".", {{"classes", classes}, {"counts", rows}}};
}

}  // namespace mercer::report
