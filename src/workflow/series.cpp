#include "workflow/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/columns.hpp"
#include "file/fields.hpp"
#include "mercer/kernels.hpp"
#include "selection/first_kernel.hpp"

namespace mercer::workflow {

namespace {

// Of column `position`, from 0: its name, where it has one.
Columns::Item item_of(const std::vector<std::string>& names, Index position) {
  const auto place = static_cast<std::size_t>(position);
  if (place < names.size() && !names[place].empty()) return {names[place], names[place]};
  return {position + 1, position + 1};
}

// How many series there are, and rows that do not say of which they are.
void look_at(const Column& column, const std::string& path, std::vector<std::string>& remarks) {
  std::set<std::string> words;
  std::set<double> numbers;
  Index gaps = 0;
  for (const std::string& word : column.words) {
    is_missing(word) ? void(++gaps) : void(words.insert(word));
  }
  for (const double value : column.numbers) {
    std::isnan(value) ? void(++gaps) : void(numbers.insert(value));
  }
  const auto rows = static_cast<Index>(column.words.size() + column.numbers.size()),
             count = static_cast<Index>(words.size() + numbers.size());
  if (count + gaps == rows && rows > 1) {
    fail(ErrorKind::data,
         "{}: `series_by`: {} is different in every row, and rows of different series have nothing in "
         "common; name a column that says of which series a row is",
         path, mercer::quoted(column.name));
  }
  if (count + (gaps > 0) == 1) remarks.push_back(fmt::format("{} has one value: there is one series", column.name));
  if (gaps > 0) {
    remarks.push_back(fmt::format("{} row{} without a value of {} {} taken for one series", gaps, gaps == 1 ? "" : "s",
                                  column.name, gaps == 1 ? "is" : "are"));
  }
}

bool is_among(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

}  // namespace

Kernel kernel_of_series(const FitRequest& request, const Points& x, Index series, std::vector<std::string>& remarks) {
  if (std::holds_alternative<Precomputed>(request.kernel)) {
    fail(ErrorKind::usage, "`series_by`: with `kernel=precomputed` there are no columns; leave it out");
  }
  if (request.start) {
    fail(ErrorKind::usage, "`series_by`: the model to go on from has a kernel, and with it its series; leave it out");
  }
  const std::vector<std::string> names = x.column_names();
  std::vector<Columns::Item> others;
  for (Index c = 0; c < data::column_count(x); ++c) {
    if (c == series) continue;
    const std::string name = static_cast<std::size_t>(c) < names.size() ? names[static_cast<std::size_t>(c)] : "";
    const bool wanted = request.table.columns.empty() || is_among(request.table.columns, name);
    if (wanted && !is_among(request.table.drop, name)) others.push_back(item_of(names, c));
  }
  if (others.empty()) {
    fail(ErrorKind::data, "{}: `series_by`: {} is the only input; each series needs another column, such as the time",
         request.source.path, mercer::quoted(request.series_by));
  }
  if (is_among(request.table.drop, request.series_by)) {
    fail(ErrorKind::usage, "`series_by`: {} is left out by `drop`; name it in one of them",
         mercer::quoted(request.series_by));
  }
  look_at(data::column_at(x, series), request.source.path, remarks);
  const Machine& row = machine(request.machine);
  const Kernel* const given = std::get_if<Kernel>(&request.kernel);
  const bool along_a_line = row.by_evidence && others.size() == 1;
  const Kernel k = given != nullptr ? *given : parse(along_a_line ? detail::kLineKernel : row.kernel);
  return on(Columns(std::move(others)), k) * on(Columns({item_of(names, series)}), equal());
}

}  // namespace mercer::workflow
