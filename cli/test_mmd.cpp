// mercer test mmd: are two samples of one distribution?
#include "base/parallel.hpp"
#include "data/data_pair.hpp"
#include "kernel_list.hpp"
#include "mercer/statistics/two_sample.hpp"
#include "test_verbs.hpp"
#include "watch.hpp"
#include "workflow/usual_scaling.hpp"

namespace mercer::cli {

int run_test_mmd(const Words& words) {
  std::string first, second, kernel, target, null = "permutations";
  TestWords test;
  using Null = TwoSampleTest::Null;
  static const std::vector<std::pair<std::string, Null>> nulls = {{"permutations", Null::permutations},
                                                                  {"signs", Null::sign_flips}};
  Arguments arguments(
      "test mmd",
      "Are the rows of A and those of B from one distribution? Compares the two means in feature space (maximum mean "
      "discrepancy) with those of the same rows divided anew. Without --kernel, numbers are compared on all scales at "
      "once, by ten laplace and ten rbf kernels (after MMDAgg), and p is that of all twenty together. Columns are "
      "matched by name, and scaled by both files together. Takes rows to be independent of each other.",
      "  mercer test mmd before.csv after.csv\n"
      "  mercer test mmd a.txt b.txt --kernel 'normalize(spectrum(k=3))'\n"
      "  mercer test mmd a.npy b.npy --kernel 'rbf(ell=auto)' --statistic linear\n");
  arguments.required("A", first, kDataHelp);
  arguments.required("B", second, "Another such file");
  arguments.option("--kernel", kernel, "EXPR",
                   "Such as 'rbf(ell=1)'; several with ; between are tried together [numbers: all scales]");
  arguments.option("--target", target, "COL", "A column to leave out: its name, or its number from 1");
  arguments.option("--statistic", test.estimate, "WORD",
                   "unbiased, biased, or linear: in linear time, p by the normal distribution; for very many rows "
                   "[unbiased]");
  arguments.option(
      "--null", null, "WORD",
      "permutations, or signs: rows are paired, and pairs change sides (files of one size) [permutations]");
  test.declare(arguments, 2000);
  if (!arguments.parse(words)) return 0;
  if (first == "-" && second == "-") fail(ErrorKind::usage, "test mmd: only one of A and B can be standard input");

  TwoSampleTest options{.resampling = test.resampling(), .null = choice<Null>("--null", null, nulls)};
  if (test.estimate == "linear") {
    options.null = Null::normal;
    if (kernel.empty()) {
      fail(ErrorKind::usage, "test mmd: --statistic linear takes one kernel; add --kernel 'rbf(ell=auto)'");
    }
  } else {
    options.estimate = test.chosen_estimate();
  }
  const std::vector<Kernel> kernels = kernel.empty() ? std::vector<Kernel>() : parse_list(kernel);
  Execution how = test.how();
  const Threads limit(how.threads);
  Watch watch;
  const data::DataPair data = data::read_pair(test.file.source(first), test.file.source(second), target);
  watch.gently();
  how.monitor = watch.monitor();
  options.scale = test.scaling(data.first);
  const TestResult result = kernels.empty() ? options.run(data.first, *data.second, how)
                                            : options.run(kernels, data.first, *data.second, how);
  watch.done();
  report(result,
         {.test = "mmd",
          .statistic = test.estimate + " MMD^2",
          .yes = "the samples are of different distributions",
          .no = "no difference found",
          .data = {{"samples", fmt::format("{} and {} rows", data.first.size(), data.second->size())},
                   {"scale", in_options(workflow::scaling_remark(options.scale, !test.scale.empty(), data.first)) +
                                 (options.scale == Scaling::Kind::none ? "" : " (both files together)")}}},
         test);
  return 0;
}

}  // namespace mercer::cli
