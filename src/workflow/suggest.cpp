#include "workflow/suggest.hpp"

#include "data/class_look.hpp"
#include "data/columns.hpp"

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

}  // namespace

Suggestion suggest(const Dataset& data) {
  Suggestion out{.inputs = data.points};
  const std::optional<Column> target = target_in(data, out);
  const bool numbers = out.inputs.domain().kind == "reals";
  out.kernel = numbers ? "rbf(ell=auto)" : "";
  if (!target) {
    out.machine = numbers ? "kde" : "pca";
    return out;
  }
  out.target = target->name;
  if (!target->words.empty() || data::look_for_classes(*target).as == data::ClassLook::As::classes) {
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
