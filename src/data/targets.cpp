#include "data/targets.hpp"

#include <algorithm>
#include <functional>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/class_look.hpp"
#include "data/columns.hpp"
#include "data/label_column.hpp"
#include "model/training.hpp"

namespace mercer::data {

namespace {

// What others are for.
constexpr std::string_view kForNumbers = "ridge, svr and gp", kForClasses = "ridge_classifier, svc and gpc";

// A column with a text in it is no column of numbers.
[[noreturn]] void fail_text(const Column& column, const std::string& machine, const std::string& file) {
  const auto is_text = [](const std::string& one) { return !parse_number(one).has_value(); };
  const auto text = std::ranges::find_if(column.words, is_text);
  // Few texts among many numbers are slips.
  const bool slip = 10 * std::ranges::count_if(column.words, is_text) < std::ssize(column.words);
  fail(ErrorKind::data, "{}: the target {} holds text ({} in row {}), and {} predicts numbers; {}", file,
       mercer::quoted(column.name), mercer::quoted(*text), text - column.words.begin() + 1, machine,
       slip ? "correct it, or let `missing` name it" : fmt::format("{} tell classes apart", kForClasses));
}

// Throws for a quantity and for what tells rows apart and nothing else; says a doubt.
void examine_classes(const Column& column, const std::string& machine, const std::string& file, bool by_default,
                     const Points& inputs, Targets& out) {
  const std::size_t rows = column.size(), classes = out.labels.classes.size();
  const ClassLook look = look_for_classes(column);
  if (look.as == ClassLook::As::quantity) {
    fail(ErrorKind::data,
         "{}: the target {} looks like a quantity ({} different {} in {} rows), and {} tells classes apart; {} predict "
         "quantities. If they are classes, give them names, such as c{}",
         file, mercer::quoted(column.name), classes, look.fractions ? "numbers with fractions" : "whole numbers", rows,
         machine, kForNumbers, column.text(0));
  }
  require_distinct_classes(out.labels.classes, file);
  if (look.as != ClassLook::As::rare) return;
  const std::optional<LikelyLabels> other = likely_labels(inputs);
  const std::string advice = other ? fmt::format("`target={}` names one of {} values", other->name, other->classes)
                                   : "`target` names another column";
  const char* const values = column.numbers.empty() ? "texts" : "numbers";
  if (by_default && classes == rows) {
    fail(ErrorKind::data,
         "{}: the target is the last column, {}, where `target` names none, and its {} {} are all different, which "
         "are no classes; {}",
         file, mercer::quoted(column.name), rows, values, advice);
  }
  if (classes == rows) {
    fail(ErrorKind::data, "{}: the target {} holds {} {}, all different, which are no classes; {}", file,
         mercer::quoted(column.name), rows, values, advice);
  }
  out.remarks.push_back(fmt::format("{} classes in {} rows{}: is {} a class? {}", classes, rows,
                                    by_default ? " of the last column" : "", mercer::quoted(column.name), advice));
}

}  // namespace

Targets targets_of(const std::vector<Column>& columns, Task task, const std::string& machine, const std::string& file,
                   bool by_default, const Points& inputs) {
  Targets out;
  if (columns.empty()) fail(ErrorKind::data, "{}: {} needs a target, and there is none", file, machine);
  if (task->target == Task::Target::classes) {
    if (columns.size() > 1) {
      fail(ErrorKind::data, "`target`: {} columns; {} tells classes apart by one", columns.size(), machine);
    }
    out.labels = Labels::from(columns[0].texts());
    examine_classes(columns[0], machine, file, by_default, inputs, out);
    return out;
  }
  out.y = Matrix(static_cast<Index>(columns[0].size()), static_cast<Index>(columns.size()));
  for (std::size_t t = 0; t < columns.size(); ++t) {
    const Column& column = columns[t];
    if (column.numbers.empty()) fail_text(column, machine, file);
    for (std::size_t i = 0; i < column.numbers.size(); ++i) {
      out.y(static_cast<Index>(i), static_cast<Index>(t)) = column.numbers[i];
    }
    if (column.size() > 1 &&
        std::ranges::adjacent_find(column.numbers, std::not_equal_to<>()) == column.numbers.end()) {
      out.remarks.push_back(fmt::format("the target {} is {} in all rows: there is nothing to learn", column.name,
                                        number(column.numbers[0])));
    }
    if (const std::string fault = detail::target_fault(out.y, static_cast<Index>(t)); !fault.empty()) {
      fail(ErrorKind::data, "{}: the target {} {}", file, mercer::quoted(column.name), fault);
    }
  }
  return out;
}

}  // namespace mercer::data
