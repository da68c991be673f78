// The verbs of the command, one file each. A verb gets the words after its name and returns the exit code: 0 done,
// 1 not a kernel, or a model that is not converged. Whatever else goes wrong is thrown, and main() says it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer::cli {

using Words = std::vector<std::string>;

struct Verb {
  std::string name;
  std::string takes;    // "MACHINE DATA", as the overview shows it
  std::string purpose;  // there too, in a few words
  int (*run)(const Words& words);
  bool machine_first = false;  // the first word is a machine, which has options of its own
  bool shared = false;         // several processes may do it together
};
const std::vector<Verb>& verbs();  // in the order in which one meets them
const Verb* verb_named(std::string_view name);

int run_kernels(const Words& words);
int run_explain(const Words& words);
int run_check(const Words& words);
int run_gram(const Words& words);
int run_distances(const Words& words);
int run_machines(const Words& words);
int run_auto(const Words& words);
int run_fit(const Words& words);
int run_predict(const Words& words);
int run_explain_prediction(const Words& words);
int run_score(const Words& words);
int run_report(const Words& words);
int run_tune(const Words& words);
int run_show(const Words& words);
int run_sample(const Words& words);
int run_test(const Words& words);
int run_align(const Words& words);
int run_represent(const Words& words);
int run_graph(const Words& words);
int run_convert(const Words& words);
int run_studio(const Words& words);
int run_demo(const Words& words);
int run_completion(const Words& words);
int run_manual(const Words& words);

}  // namespace mercer::cli
