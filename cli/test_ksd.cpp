// mercer test ksd: are points normal, or of a density whose score is given?
#include "base/parallel.hpp"
#include "data/columns.hpp"
#include "data/source.hpp"
#include "mercer/io.hpp"
#include "mercer/statistics/goodness_of_fit.hpp"
#include "points/rep.hpp"
#include "test_verbs.hpp"
#include "watch.hpp"

namespace mercer::cli {

int run_test_ksd(const Words& words) {
  std::string path, scores, kernel = "rq(ell=auto, alpha=0.5)", target;
  bool normal = false;
  TestWords test;
  Arguments arguments(
      "test ksd",
      "Do the rows come from a density? The kernel Stein discrepancy to it.\n"
      "--normal: are the rows normal, with whatever mean and covariance? Compared with as many normal rows; exact.\n"
      "--scores FILE: the density is known by its score, the gradient of its logarithm, at each row; it must not have "
      "been "
      "fitted to the same rows. Inputs are taken as they are.",
      "  mercer test ksd residuals.csv --normal\n"
      "  mercer test ksd sample.npy --scores scores.npy --kernel 'rq(ell=1, alpha=0.5)'\n");
  arguments.required("DATA", path, "A file of numbers: CSV, TSV, LIBSVM, NPY or IDX, also .gz; - is standard input");
  arguments.flag("--normal", normal, "Test for a normal distribution");
  arguments.option("--scores", scores, "FILE", "As many rows and columns as DATA: the score at each row");
  arguments.option("--kernel", kernel, "EXPR",
                   "With --scores: rbf or rq, or sums of multiples of these [rq(ell=auto, alpha=0.5)]");
  arguments.option("--target", target, "COL", "A column to leave out: its name, or its number from 1");
  arguments.option("--statistic", test.estimate, "WORD", "With --scores: unbiased or biased [unbiased]");
  test.declare(arguments, 500);
  if (!arguments.parse(words)) return 0;
  if (normal == !scores.empty()) {
    fail(ErrorKind::usage, "test ksd: say which density: --normal, or --scores FILE with its score at each row");
  }
  if (!test.scale.empty()) fail(ErrorKind::usage, "test ksd: --scale: a density is one of the inputs as they are");
  const GoodnessOfFitTest options{.resampling = test.resampling(), .estimate = test.chosen_estimate()};
  if (normal && options.estimate == Estimate::biased) {
    fail(ErrorKind::usage, "test ksd: --normal has one statistic; leave --statistic out");
  }
  const Kernel k = parse(kernel);
  Execution how = test.how();
  const Threads limit(how.threads);

  Watch watch;
  const Points x = data::read_points(test.file.source(path), {.target = target}).points;
  TestResult result;
  if (normal) {
    watch.gently();
    how.monitor = watch.monitor();
    result = test_normality(x, options.resampling, how);
  } else {
    const Points given = read_data(scores).points;
    if (given.domain().kind != "reals") {
      fail(ErrorKind::data, "{}: scores are numbers, and {}", scores, given.rep().describe());
    }
    watch.gently();
    how.monitor = watch.monitor();
    result = options.run(k, x, Matrix(dense_rows(given).values), how);
  }
  watch.done();
  report(result,
         {.test = "ksd",
          .statistic = test.estimate + " KSD^2",
          .yes = normal ? "the rows are not normal" : "the rows are not of this density",
          .no = normal ? "no deviation from a normal distribution found" : "no deviation from the density found",
          .data = {{"data", fmt::format("{} rows of {} columns", x.size(), data::column_count(x))}}},
         test);
  return 0;
}

}  // namespace mercer::cli
