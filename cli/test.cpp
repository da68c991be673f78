// mercer test: statistical tests by kernels.
#include <cmath>

#include "output.hpp"
#include "test_verbs.hpp"

namespace mercer::cli {

namespace {

const std::vector<std::pair<std::string, Estimate>> kEstimates = {{"unbiased", Estimate::unbiased},
                                                                  {"biased", Estimate::biased}};

}  // namespace

void TestWords::declare(Arguments& arguments, Index resamples_by_default) {
  usual_resamples_ = resamples_by_default;
  arguments.option("--alpha", alpha, "LEVEL", "How often a true hypothesis may be rejected [0.05]");
  arguments.option("--resamples", resamples, "N",
                   fmt::format("How often the data are mixed anew; p is at least 1/(N+1) [{}]", usual_resamples_));
  arguments.option("--seed", seed, "N", "Of the mixing: the same gives the same p [1]");
  InputWords::declare(arguments);
  arguments.flag("--json", as_json, "For programs");
}

Resampling TestWords::resampling() const {
  const auto level = parse_number(alpha);
  if (!level || !(*level > 0 && *level < 1)) {
    fail(ErrorKind::usage, "--alpha: {} is no number between 0 and 1", mercer::quoted(alpha));
  }
  return {.resamples = static_cast<Index>(whole_number("--resamples", resamples, usual_resamples_, 1, 10'000'000)),
          .alpha = *level,
          .seed = static_cast<std::uint64_t>(whole_number("--seed", seed, 1, 0))};
}

Estimate TestWords::chosen_estimate() const { return choice<Estimate>("--statistic", estimate, kEstimates); }

namespace {

// Three digits, and more where they say on which side of alpha p is.
std::string p_text(double p) { return fmt::format("{:.3g}", p); }

Json to_json(const TestResult& result, const TestTexts& texts) {
  Json kernels = Json::array();
  for (const TestResult::Part& part : result.parts) {
    kernels.push_back({{"kernel", part.kernel}, {"statistic", json_number(part.statistic)}, {"p", part.p}});
  }
  Json out = {{"test", texts.test},          {"statistic", json_number(result.statistic)},
              {"estimate", texts.statistic}, {"p", result.p},
              {"alpha", result.alpha},       {"rejected", result.rejected()},
              {"null", result.null},         {"resamples", result.resamples},
              {"seed", result.seed},         {"kernels", kernels},
              {"remarks", result.remarks}};
  for (const auto& [name, text] : texts.data) out[name] = text;
  return out;
}

}  // namespace

void report(const TestResult& result, const TestTexts& texts, const TestWords& words) {
  if (words.as_json) return put_json(to_json(result, texts));
  std::vector<std::vector<std::string>> rows = {
      {"statistic", fmt::format("{:.6g}  {}", result.statistic, texts.statistic)},
      {"p", p_text(result.p)},
      {"decision", fmt::format("{} at the level {:g}: {}", result.rejected() ? "rejected" : "not rejected",
                               result.alpha, result.rejected() ? texts.yes : texts.no)}};
  const TestResult::Part* best = &result.parts[0];
  for (const TestResult::Part& part : result.parts) {
    if (part.p < best->p) best = &part;
  }
  if (result.parts.size() == 1) {
    rows.push_back({"kernel", best->kernel});
  } else {
    rows.push_back({"kernels", fmt::format("{} together; clearest is {}, alone p = {}", result.parts.size(),
                                           best->kernel, p_text(best->p))});
  }
  rows.push_back({"p is from", result.resamples > 0
                                   ? fmt::format("{} {}, seed {}", result.resamples, result.null, result.seed)
                                   : "the " + result.null});
  for (const auto& [name, text] : texts.data) rows.push_back({name, text});
  put(table(rows));
  for (const std::string& remark : result.remarks) say(remark);
}

int run_test(const Words& words) {
  static const std::vector<std::pair<std::string, int (*)(const Words&)>> all = {
      {"mmd", run_test_mmd}, {"hsic", run_test_hsic}, {"ksd", run_test_ksd}};
  for (const auto& [name, run] : all) {
    if (!words.empty() && words.front() == name) return run(Words(words.begin() + 1, words.end()));
  }
  std::string what, first, second;
  Arguments arguments("test",
                      "Statistical tests by kernels, on any data that has one.\n"
                      "  mmd A B    are two samples from one distribution?\n"
                      "  hsic DATA  do some columns depend on others?\n"
                      "  ksd DATA   are the points normal, or from a density whose score is given?",
                      "  mercer test mmd before.csv after.csv\n"
                      "  mercer test hsic houses.csv --x area,rooms --y price\n"
                      "  mercer test ksd residuals.csv --normal\n");
  arguments.required("WHAT", what, "mmd, hsic or ksd; each has --help");
  arguments.optional("DATA", first, "A file of CSV, TSV, LIBSVM, NPY or IDX, also .gz");
  arguments.optional("DATA2", second, "For mmd, the second sample");
  if (!arguments.parse(words)) return 0;
  std::vector<std::string> names;
  for (const auto& [name, run] : all) names.push_back(name);
  fail(ErrorKind::usage, "test: {} is none of {}{}", mercer::quoted(what), fmt::join(names, ", "),
       did_you_mean(what, names));
}

}  // namespace mercer::cli
