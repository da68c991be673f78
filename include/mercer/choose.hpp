// mercer/choose.hpp: what users do not give, chosen. Each machine's row says what is tried and by which held-out
// criterion (Machine::choosing); options and kernels that were given stay as they are.
//
//     Training data{.K = lazy(parse("rbf(ell=auto)").resolve(x), x), .labels = Labels::from(names)};
//     Choice choice = choose(machine("svc"), {{"tolerance", "1e-4"}}, false, data);
//     choice.words;       // "rbf(ell=1.145), C=10 (by accuracy in 5-fold cross-validation, 0.953; tried ...)"
//     Model m = fit_chosen(machine("svc"), choice, data);
//
// Deterministic: the same choice whatever the number of threads. Weights are multiplicities: a point of weight 2 and a
// point that is there twice make the same choice, and points of weight 0 take no part. Equal points are never on both
// sides of a fold. Beyond the number of different points that the row names a sample decides, so that the cost is
// bounded.
#pragma once

#include <optional>
#include <string>

#include "mercer/machines.hpp"

namespace mercer {

struct Choice {
  Settings settings = {};                   // those given, and those chosen
  std::optional<Kernel> kernel = {};        // none where K is numbers only
  std::string words = {};                   // one line: what, by which criterion, over what; empty: nothing was open
  std::optional<Report::Table> tried = {};  // every candidate and its score: of the kernel chosen, on the points that
                                            // had the last word
  std::vector<Report::Table> others = {};   // of other kernels, and on fewer points
  bool interrupted = false;                 // the monitor said stop: the best of what was tried until then
};

// `kernel_given`: the kernel of training.K is the user's and stays. Otherwise it is the machine's own, at what auto
// gives. Where nothing can be compared (two points, one class outside each fold) the plain values stay, and the words
// say why.
Choice choose(const Machine& machine, const Settings& given, bool kernel_given, const Training& training);

// What is tried when nothing is given, and by which criterion; empty for a machine that has nothing to choose.
std::string tried_words(const Machine& machine);

// The machine fitted with what was chosen; the words and the table are in its report.
Model fit_chosen(const Machine& machine, const Choice& choice, const Training& training);

}  // namespace mercer
