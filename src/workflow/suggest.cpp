#include "workflow/suggest.hpp"

#include <cmath>

#include "data/class_look.hpp"
#include "data/columns.hpp"
#include "mercer/tables.hpp"
#include "points/rep.hpp"
#include "workflow/table_inputs.hpp"

namespace mercer::workflow {

namespace {

constexpr Index kSmallForGp = 2000;  // points on which a process learns while somebody waits

// What a fit would take for the target: what the file calls so, else its last column; none where that holds objects.
std::optional<Column> target_in(const Dataset& data, Suggestion& out) {
  if (!data.target_name.empty()) return Column{data.target_name, data.target_numbers, data.target_texts};
  const Index last = data::column_count(data.points) - 1;
  if (last < 1) return std::nullopt;
  const std::string kind = data::column_kind(data.points, last);
  if (kind != "reals" && kind != "strings") return std::nullopt;
  out.inputs = data::without_columns(data.points, std::vector<Index>{last});
  return data::column_at(data.points, last);
}

// Its values where it has some.
Column without_gaps(const Column& column) {
  Column out{column.name};
  for (const double value : column.numbers) {
    if (!std::isnan(value)) out.numbers.push_back(value);
  }
  for (const std::string& word : column.words) {
    if (!word.empty()) out.words.push_back(word);
  }
  return out;
}

// Numbers of a raw table, as a fit would make them; as they stand where they cannot be made, or hold texts.
Points numbers_of(const Points& inputs) {
  try {
    const Points made = data::apply(data::recipe_for(inputs, {}, ""), inputs, "").points;
    return made.domain().kind == "reals" ? made : inputs;
  } catch (const Error&) {
    return inputs;
  }
}

}  // namespace

Suggestion suggest(const Dataset& data) {
  Suggestion out{.inputs = data.points};
  std::optional<Column> target = target_in(data, out);
  if (target) target = target_values(std::move(*target), true, {});
  if (find_table(out.inputs) != nullptr) out.inputs = numbers_of(out.inputs);
  const bool numbers = out.inputs.domain().kind == "reals";
  out.kernel = numbers ? "rbf(ell=auto)" : "";
  if (!target) {
    out.machine = numbers ? "kde" : "pca";
    return out;
  }
  out.target = target->name;
  if (!target->words.empty() || data::look_for_classes(without_gaps(*target)).as == data::ClassLook::As::classes) {
    out.labels = Labels::from(target->texts());
    out.task = Task::classification;
    out.machine = "svc";
  } else {
    out.task = Task::regression;
    out.machine = data.points.size() <= kSmallForGp ? "gp" : "ridge";
  }
  return out;
}

const std::vector<Playable>& playable() {
  static const std::vector<Playable> all = {
      {"svc", {{"C", "10"}}},
      {"logistic", {{"lambda", "0.1"}}},
      {"gpc"},
      {"kfda"},
      {"perceptron"},
      {"gp", {{"noise", "0.05"}}},
      {"ridge", {{"ridge", "0.1"}}},
      {"svr", {{"C", "10"}, {"epsilon", "0.1"}}},
      {"nadaraya_watson"},
  };
  return all;
}

}  // namespace mercer::workflow
