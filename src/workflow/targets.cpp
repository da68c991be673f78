#include "workflow/targets.hpp"

#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "model/training.hpp"
#include "workflow/columns.hpp"

namespace mercer::workflow {

namespace {

// Numbers with a fraction, many of them different: a quantity, not classes.
void refuse_quantity(const Column& column, const Labels& labels, const std::string& machine, const std::string& data) {
  const auto classes = labels.classes.size();
  const bool fractions = std::any_of(column.numbers.begin(), column.numbers.end(),
                                     [](double value) { return value != std::floor(value); });
  if (!fractions || classes <= 10 || classes * classes <= column.size()) return;
  fail(ErrorKind::data,
       "{}: the target {} looks like a quantity ({} different numbers with fractions in {} rows), and {} tells classes "
       "apart; ridge, svr and gp predict quantities. If they are classes, give them names",
       data, mercer::quoted(column.name), classes, column.size(), machine);
}

}  // namespace

void add_targets(const std::vector<Column>& columns, Task task, const std::string& file, Prepared& out) {
  const std::string& machine = out.machine;
  Training& training = out.training;
  if (columns.empty()) fail(ErrorKind::data, "{}: {} needs a target, and there is none", file, machine);
  if (task->target == Task::Target::classes) {
    if (columns.size() > 1) {
      fail(ErrorKind::data, "--target: {} columns; {} tells classes apart by one", columns.size(), machine);
    }
    training.labels = Labels::from(columns[0].texts());
    refuse_quantity(columns[0], training.labels, machine, file);
    require_distinct_classes(training.labels.classes, file);
    const std::size_t classes = training.labels.classes.size(), rows = columns[0].size();
    if (classes > 10 && 2 * classes > rows) {
      out.remarks.push_back(fmt::format("{} classes in {} rows: is {} a class? --target names another column", classes,
                                        rows, mercer::quoted(columns[0].name)));
    }
    return;
  }
  training.y = Matrix(training.K.size(), static_cast<Index>(columns.size()));
  for (std::size_t t = 0; t < columns.size(); ++t) {
    const Column& column = columns[t];
    if (column.numbers.empty()) {
      const auto text = std::find_if_not(column.words.begin(), column.words.end(),
                                         [](const std::string& one) { return parse_number(one).has_value(); });
      fail(ErrorKind::data, "{}: the target {} holds text ({} in row {}); {} predicts numbers", file,
           mercer::quoted(column.name), mercer::quoted(*text), text - column.words.begin() + 1, machine);
    }
    for (std::size_t i = 0; i < column.numbers.size(); ++i) {
      training.y(static_cast<Index>(i), static_cast<Index>(t)) = column.numbers[i];
    }
    if (const std::string fault = detail::target_fault(training.y, static_cast<Index>(t)); !fault.empty()) {
      fail(ErrorKind::data, "{}: the target {} {}", file, mercer::quoted(column.name), fault);
    }
  }
}

}  // namespace mercer::workflow
