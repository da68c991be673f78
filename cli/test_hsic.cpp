// mercer test hsic: do some columns depend on others?
#include <set>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "data/columns.hpp"
#include "data/source.hpp"
#include "kernel_list.hpp"
#include "mercer/kernels.hpp"
#include "mercer/statistics/independence.hpp"
#include "test_verbs.hpp"
#include "watch.hpp"

namespace mercer::cli {

using data::column_count;
using data::column_position;
using data::without_columns;

namespace {

std::vector<Index> positions(const Points& x, const std::string& names, const std::string& option,
                             const std::string& path) {
  std::vector<Index> out;
  for (const std::string& name : split(names, ',')) out.push_back(column_position(x, name, option, path));
  return out;
}

// The columns that are in no other list.
std::vector<Index> rest(Index count, const std::vector<Index>& taken) {
  std::vector<bool> free(static_cast<std::size_t>(count), true);
  for (const Index j : taken) free[static_cast<std::size_t>(j)] = false;
  std::vector<Index> out;
  for (Index j = 0; j < count; ++j) {
    if (free[static_cast<std::size_t>(j)]) out.push_back(j);
  }
  return out;
}

struct Side {
  std::string option, names = {}, kernel = {};  // "--x", what it was given, and the kernels
  std::vector<Index> columns = {};
  std::vector<Gram> matrices = {};
  std::string scale = {};  // what was done
};

void compute(Side& side, const Points& all, const TestWords& words, const Execution& how) {
  Points x = all;
  if (column_count(all) > 1) x = without_columns(all, rest(column_count(all), side.columns));
  // Text that stands alone in a table is text.
  if (x.domain().kind == "table" && column_count(x) == 1) x = x.columns(Columns(1));
  side.scale = words.remark(x);
  x = words.scaled(x);
  std::vector<Kernel> kernels;
  if (!side.kernel.empty()) {
    kernels = parse_list(side.kernel);
  } else if (x.domain().kind == "reals") {
    kernels = {parse("rbf(ell=auto)")};
  } else if (x.domain().kind == "strings") {
    kernels = {equal()};
  } else {
    fail(ErrorKind::usage, "{}: {} have no usual kernel; name one with --kernel{}", side.option, x.domain().str(),
         side.option.substr(1));
  }
  for (const Kernel& k : kernels) side.matrices.push_back(exact(k, x, how));
}

}  // namespace

int run_test_hsic(const Words& words) {
  std::string path;
  Side x{.option = "--x"}, y{.option = "--y"};
  TestWords test;
  Arguments arguments(
      "test hsic",
      "Do the columns --y depend on the columns --x, in whatever way? The Hilbert-Schmidt independence criterion of a "
      "kernel on each side, compared with that of the same rows paired anew. Takes rows to be independent of each "
      "other.",
      "  mercer test hsic houses.csv --x area,rooms --y price\n"
      "  mercer test hsic people.csv --x name --kernel-x 'normalize(spectrum(k=2))' --y country\n"
      "  mercer test hsic data.csv --kernel-x 'rbf(ell=0.5); rbf(ell=2)'\n");
  arguments.required("DATA", path, kDataHelp);
  arguments.option("--x", x.names, "COLS", "Names or numbers, with commas between [all that are not --y]");
  arguments.option("--y", y.names, "COLS", "The same [with --x all others, else the last column]");
  arguments.option(
      "--kernel-x", x.kernel, "EXPR",
      "On the side of --x; several with ; between are tried together [numbers: rbf(ell=auto), texts: equal()]");
  arguments.option("--kernel-y", y.kernel, "EXPR", "On the side of --y");
  arguments.option("--statistic", test.estimate, "WORD", "unbiased or biased [unbiased]");
  test.declare(arguments, 1000);
  if (!arguments.parse(words)) return 0;
  const IndependenceTest options{.resampling = test.resampling(), .estimate = test.chosen_estimate()};
  for (const Side* side : {&x, &y}) {
    if (!side->kernel.empty()) (void)parse_list(side->kernel);  // refused before the data are read
  }
  if (!test.file.bag.empty() || !test.file.series.empty()) {
    fail(ErrorKind::usage, "test hsic: --bag and --series make one side of several rows, and the other has none");
  }
  Execution how = test.how();
  const Threads limit(how.threads);

  Watch watch;
  const workflow::Source source = test.file.source(path);
  const Dataset data = data::read_points(source);
  watch.gently();
  how.monitor = watch.monitor();
  const Points& all = data.points;
  const Index count = column_count(all);
  if (!y.names.empty()) y.columns = positions(all, y.names, "--y", path);
  if (!x.names.empty()) x.columns = positions(all, x.names, "--x", path);
  const bool labels = !data.target_name.empty() && y.names.empty();  // of a file that has them
  if (y.columns.empty() && !labels)
    y.columns = x.columns.empty() ? std::vector<Index>{count - 1} : rest(count, x.columns);
  if (x.columns.empty()) x.columns = rest(count, y.columns);
  const std::set<Index> of_y(y.columns.begin(), y.columns.end());
  for (const Index j : x.columns) {
    if (of_y.count(j) > 0) {
      fail(ErrorKind::usage, "{}: column {} is on both sides; a column depends on itself", path, j + 1);
    }
  }
  if (x.columns.empty() || (y.columns.empty() && !labels)) {
    fail(ErrorKind::data, "{}: one side is without a column; name both with --x and --y", path);
  }
  compute(x, all, test, how);
  if (labels) {
    y.columns = {0};
    const Points target =
        data.target_texts.empty()
            ? rows(Matrix(MatrixView(data.target_numbers.data(), static_cast<Index>(data.target_numbers.size()), 1)))
            : strings(data.target_texts);
    compute(y, target, test, how);
  } else {
    compute(y, all, test, how);
  }
  const TestResult result = options.run(x.matrices, y.matrices, how);
  watch.done();
  report(result,
         {.test = "hsic",
          .statistic = test.estimate + " HSIC",
          .yes = "y depends on x",
          .no = "no dependence found",
          .data = {{"data", fmt::format("{} rows, {} and {} columns", all.size(), x.columns.size(), y.columns.size())},
                   {"scale of x", x.scale},
                   {"scale of y", y.scale}}},
         test);
  return 0;
}

}  // namespace mercer::cli
