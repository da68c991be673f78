// The verbs below `mercer test`, one file each, and what they share.
#pragma once

#include "arguments.hpp"
#include "input_words.hpp"
#include "mercer/statistics/test_result.hpp"
#include "output.hpp"

namespace mercer::cli {

int run_test_mmd(const Words& words);
int run_test_hsic(const Words& words);
int run_test_ksd(const Words& words);

struct TestWords : InputWords {
  std::string alpha = "0.05", resamples = {}, seed = "1", estimate = "unbiased";
  bool as_json = false;

  // `resamples` is what stands there by default.
  void declare(Arguments& arguments, Index resamples);
  // Of words that are wrong the first is refused.
  Resampling resampling() const;
  Estimate chosen_estimate() const;

 private:
  Index usual_resamples_ = 2000;
};

// What a result is called, and what it means.
struct TestTexts {
  std::string test;                                       // "mmd"
  std::string statistic;                                  // "unbiased MMD^2"
  std::string yes, no;                                    // "the samples differ", "no difference found"
  std::vector<std::pair<std::string, std::string>> data;  // lines on what was tested
};
void report(const TestResult& result, const TestTexts& texts, const TestWords& words);

}  // namespace mercer::cli
