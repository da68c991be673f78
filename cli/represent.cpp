// mercer represent: a few rows that stand for all.
#include <iostream>

#include "arguments.hpp"
#include "base/at.hpp"
#include "base/parallel.hpp"
#include "data/columns.hpp"
#include "data/source.hpp"
#include "input_words.hpp"
#include "io/csv_field.hpp"
#include "mercer/io.hpp"
#include "mercer/statistics/representatives.hpp"
#include "output.hpp"
#include "points/rep.hpp"
#include "watch.hpp"

namespace mercer::cli {

using workflow::Column;

namespace {

// Rows as they were read: the same columns under the same names, so that the file can stand in the place of DATA.
void write_rows(std::ostream& out, const Points& x, bool with_names, std::span<const Index> which) {
  const std::vector<Column> columns = data::all_columns(x);
  std::vector<std::string> fields;
  for (const Column& column : columns) fields.push_back(csv_field(column.name));
  if (with_names) out << fmt::format("{}\n", fmt::join(fields, ","));
  for (const Index i : which) {
    fields.clear();
    for (const Column& column : columns) {
      fields.push_back(column.words.empty() ? column.text(at(i)) : csv_field(column.words[at(i)]));
    }
    out << fmt::format("{}\n", fmt::join(fields, ","));
  }
}

void write_numbers(std::ostream& out, std::span<const Index> which) {
  out << "row\n";
  for (const Index i : which) out << i + 1 << "\n";
}

enum class Method { thinning, herding };

}  // namespace

int run_represent(const Words& words) {
  std::string path, kernel = "rbf(ell=auto)", count_text, method_text = "thinning", target, output, seed;
  InputWords input;
  bool numbers = false, as_json = false;
  static const std::vector<std::pair<std::string, Method>> methods = {{"thinning", Method::thinning},
                                                                      {"herding", Method::herding}};
  Arguments arguments(
      "represent",
      "A few rows of DATA that stand for all: their mean in feature space is close to that of all rows. The rows are "
      "written as they are, in the order in which they were chosen, or their numbers where they are not columns of "
      "numbers and text.",
      "  mercer represent points.csv --count 100 -o few.csv\n"
      "  mercer represent names.csv --count 20 --kernel 'on(name, normalize(spectrum(k=3)))' --method herding\n");
  arguments.required("DATA", path, kDataHelp);
  arguments.option("--count", count_text, "N", "How many rows");
  arguments.option("--kernel", kernel, "EXPR", "Says what rows are alike [rbf(ell=auto)]");
  arguments.option("--method", method_text, "WORD",
                   "thinning: halves the rows again and again, then exchanges some; herding: row by row, the first "
                   "ones stand for all already [thinning]");
  arguments.option("--target", target, "COL", "A column that does not count: its name, or its number from 1");
  arguments.flag("--numbers", numbers, "Write the numbers of the rows, from 1, and not the rows");
  arguments.option("-o,--output", output, "FILE", "A CSV file; without it standard output");
  arguments.is_output();
  arguments.option("--seed", seed, "N", "Of thinning [1]");
  input.declare(arguments);
  arguments.flag("--json", as_json, "A summary on standard output, for programs; needs -o");
  if (!arguments.parse(words)) return 0;
  const Method method = choice<Method>("--method", method_text, methods);
  const auto count = static_cast<Index>(whole_number("--count", count_text, 0, 1));
  if (count == 0) fail(ErrorKind::usage, "represent: --count says how many rows to choose; add it");
  if (as_json && is_standard(output)) {
    fail(ErrorKind::usage, "represent: --json puts a summary on standard output, so the rows need a file: add -o FILE");
  }
  const Kernel given = parse(kernel);
  Execution how = input.how();
  const Threads limit(how.threads);

  Watch watch;
  const workflow::Source source = input.file.source(path);
  const Dataset whole = data::read(source, {.label = target});
  Dataset inputs = whole;
  if (!target.empty() && target != whole.target_name) {
    const std::vector<Index> left_out = {data::column_position(whole.points, target, "--target", path)};
    inputs.points = data::without_columns(whole.points, left_out);
  }
  inputs = data::points_of(inputs, source);
  watch.gently();
  how.monitor = watch.monitor();
  if (count > inputs.points.size()) {
    fail(ErrorKind::data, "{}: --count {}: there are {} rows to choose from", path, count, inputs.points.size());
  }
  const Points x = input.scaled(inputs.points);
  const Gram K = lazy(given, x);
  const Thinning thinning{.count = count, .seed = static_cast<std::uint64_t>(whole_number("--seed", seed, 1, 0))};
  const std::vector<Index> chosen =
      method == Method::thinning ? thinning.choose(K, how) : Herding{.count = count}.choose(K, how);
  const double distance = distance_to_all(K, chosen, how);
  watch.done();

  const std::string domain = whole.points.domain().kind;
  const bool have_columns = domain == "reals" || domain == "table" || domain == "strings";
  const bool rows = !numbers && have_columns && !is_sparse(whole.points) && whole.points.size() == inputs.points.size();
  const bool with_names = !whole.counted && !whole.points.column_names().empty();
  write_output(output, [&](std::ostream& out) {
    rows ? write_rows(out, whole.points, with_names, chosen) : write_numbers(out, chosen);
  });
  if (as_json) {
    put_json(Json{{"method", method_text},
                  {"kernel", K.kernel()->str()},
                  {"rows", x.size()},
                  {"count", count},
                  {"distance", distance},
                  {"output", output}});
    return 0;
  }
  say(fmt::format("{} of {} rows by {} with {}, {}; distance of the means {:.3g}", count, x.size(), method_text,
                  K.kernel()->str(), input.remark(inputs.points), distance));
  return 0;
}

}  // namespace mercer::cli
