#include "workflow/usual_kernel.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/columns.hpp"
#include "mercer/kernels.hpp"
#include "points/rep.hpp"
#include "selection/first_kernel.hpp"

namespace mercer::workflow {

namespace {

// The example of the first kernel of a domain.
std::string kernel_on(const std::string& kind) {
  for (const CatalogRow& row : catalog()) {
    if (row.domain == kind && !row.example.empty()) return fmt::format("normalize({})", row.example);
  }
  return "KERNEL";
}

// A kernel that these inputs could have, for a message.
std::string kernel_such_as(const Points& x) {
  const Table* const columns = find_table(x);
  if (columns == nullptr) return kernel_on(x.domain().kind);
  std::vector<std::string> terms, kinds;
  for (const auto& [part_name, part] : columns->parts) {
    const std::vector<std::string> own = part.column_names();
    const std::string& name = own.empty() ? part_name : own.front();
    const Columns column(std::vector<Columns::Item>{{name, name}});
    const std::string kind = part.domain().kind;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    kinds.push_back(kind);
    terms.push_back(fmt::format("on({}, {})", column.str(), kind == "reals" ? "rbf(ell=auto)" : kernel_on(kind)));
  }
  return fmt::format("{}", fmt::join(terms, " + "));
}

// Of texts beside numbers, or several: a sum over the columns, so that each tells what it knows.
std::optional<Kernel> kernel_of_texts(const Machine& machine, const Points& x) {
  const Table* const columns = find_table(x);
  if (columns == nullptr) return std::nullopt;
  std::string sum;
  for (const auto& [name, part] : columns->parts) {
    const std::string kind = part.domain().kind;
    if (kind != "reals" && kind != "strings") return std::nullopt;
    const std::vector<std::string> own = part.column_names();
    const Columns which(own.empty() ? std::vector<Columns::Item>{{name, name}}
                                    : std::vector<Columns::Item>{{own.front(), own.back()}});
    sum += fmt::format("{}on({}, {})", sum.empty() ? "" : " + ", which.str(),
                       kind == "reals" ? machine.kernel : "normalize(spectrum(k=3))");
  }
  return parse(sum);
}

// The one column beside numbers that holds text: labels, perhaps. Empty where there is none, or several.
std::string only_text_column(const Points& x) {
  const Table* const columns = find_table(x);
  if (columns == nullptr || columns->parts.size() < 2) return "";
  std::vector<std::string> found;
  for (const auto& [name, part] : columns->parts) {
    if (part.domain().kind == "strings") found.push_back(name);
  }
  return found.size() == 1 ? found[0] : "";
}

Kernel usual_kernel(const Machine& machine, const Points& x, bool is_cooked, std::vector<std::string>& remarks) {
  if (const std::optional<Kernel> sum = is_cooked ? kernel_of_texts(machine, x) : std::nullopt) {
    remarks.push_back(fmt::format("no kernel given: {}", sum->str()));
    return *sum;
  }
  if (x.domain().kind != "reals") {
    const std::string text = machine.task.takes_target() ? "" : only_text_column(x);
    fail(ErrorKind::usage, "`kernel`: {}; say which kernel, such as '{}'{}", x.rep().describe(), kernel_such_as(x),
         text.empty() ? "" : fmt::format(", or leave the labels out by `target={}`", text));
  }
  const std::string first = detail::first_kernel(machine, x);
  remarks.push_back(fmt::format("no kernel given: {}", first));
  return parse(first);
}

}  // namespace

Kernel kernel_for(const KernelChoice& choice, const Machine& machine, const std::optional<Model>& start,
                  const Points& x, bool is_cooked, const std::string& path, std::vector<std::string>& remarks) {
  const Kernel* const given = std::get_if<Kernel>(&choice);
  const bool of_start = !given && start && start->expansion().parts().kernel;
  const Kernel taken = given      ? *given
                       : of_start ? *start->expansion().parts().kernel
                                  : usual_kernel(machine, x, is_cooked, remarks);
  const Params params = taken.params();
  if (x.size() == 1 && std::any_of(params.begin(), params.end(), [](const Parameter& p) { return p.automatic; })) {
    fail(ErrorKind::data, "{}: one row, and auto needs two; add rows, or give `kernel` a number for it", path);
  }
  Kernel k = taken.resolve(x);
  if (!(k == taken)) remarks.push_back(fmt::format("auto is {}", k.str()));
  return k;
}

}  // namespace mercer::workflow
