// mercer VERB ...: finds the verb, and turns what goes wrong into one line on standard error and an exit code.
#include <signal.h>

#include <algorithm>
#include <iostream>
#include <new>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "output.hpp"
#include "simd/target.hpp"
#include "verbs.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

constexpr int kFailed = 1, kUsage = 2;

struct Verb {
  std::string name;
  int (*run)(const Words& words);
};

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {{"kernels", run_kernels}, {"explain", run_explain},   {"check", run_check},
                                        {"gram", run_gram},       {"machines", run_machines}, {"fit", run_fit},
                                        {"predict", run_predict}, {"score", run_score},       {"tune", run_tune},
                                        {"sample", run_sample},   {"convert", run_convert},   {"demo", run_demo}};
  return all;
}

constexpr std::string_view kOverview = R"(mercer: kernels that come with their proof

Usage: mercer VERB ...

  mercer kernels [NAME]         the kernels and the rules that combine them; or all about one
  mercer explain 'EXPR'         why an expression is a kernel: the proof, and its parameters
  mercer check 'EXPR'           is this a kernel? a proof, or points and weights that refute it;
                                takes any formula in x and y as well
  mercer gram 'EXPR' DATA       the matrix of a kernel on a file of CSV, TSV, LIBSVM, NPY or IDX
  mercer machines [NAME]        the kernel machines, the problems they solve and their options
  mercer fit MACHINE DATA       a machine fitted to a data file: a model
  mercer predict MODEL DATA     what a model says of new points: classes, numbers, probabilities
  mercer score MODEL DATA       how well it says it, where the truth is known
  mercer tune MACHINE DATA      options and kernel parameters chosen by cross-validation
  mercer sample FROM DATA       functions drawn from a kernel, or from what a model has learnt
  mercer convert IN OUT         models from LIBSVM and to it
  mercer demo [NAME]            tours on built-in data, first of all the CO2 record of Mauna Loa

  mercer VERB --help            the options of a verb; --json is one of all of them
  mercer --version

Examples:
  mercer explain '2*rbf(ell=0.5) + periodic(period=1, ell=1.3)*rbf(ell=90)'
  mercer check 'tanh(dot(x,y) - 1)'
  mercer gram 'rbf(ell=auto)' points.csv --target label -o K.npy
  mercer gram 'on(text, normalize(spectrum(k=3))) * on(age, rbf(ell=10))' people.csv -o K.csv
  mercer fit svc flowers.csv --kernel 'rbf(ell=auto)' --C 10 -o flowers.mercer
  mercer predict flowers.mercer new.csv
  mercer fit gp series.csv --kernel '9*rbf(ell=10) + periodic(period=fixed(1))' -o series.mercer
  mercer predict series.mercer later.csv --std

An expression is built from kernels by + * ^n exp() normalize() on() and more; quote it for the
shell. Data goes to standard output, words to standard error. Exit code: 0 done, 1 failed, not a
kernel or not converged, 2 a command or an expression that cannot be read. MERCER_NUM_THREADS limits
the threads; MERCER_SIMD=scalar, avx2 or avx512 takes another instruction set than the CPU's best.
)";

int dispatch(Words words) {
  if (words.empty()) {
    std::cerr << kOverview;
    return kUsage;
  }
  // "mercer help gram" is what one types when one does not know.
  if (words[0] == "help" && words.size() > 1) words = {words[1], "--help"};
  const std::string first = words[0];
  if (first == "--help" || first == "-h" || first == "help") {
    put(kOverview);
    return 0;
  }
  const simd::Target& target = simd::target();  // a MERCER_SIMD that makes no sense is said before anything is done
  if (first == "--version") {
    put(fmt::format("mercer {}\ninstruction set: {}{}\n", MERCER_VERSION, target.name,
                    target.forced ? ", forced by MERCER_SIMD" : ""));
    return 0;
  }
  std::vector<std::string> names = {"help"};
  for (const Verb& verb : verbs()) {
    if (verb.name == first) return verb.run({words.begin() + 1, words.end()});
    names.push_back(verb.name);
  }
  if (first.starts_with('-')) {
    const std::vector<std::string> options = {"--help", "--version"};
    fail(ErrorKind::usage, "there is no option {}{}; options of a verb come after it", first,
         did_you_mean(first, options));
  }
  const std::string suggestion = did_you_mean(first, names);
  fail(ErrorKind::usage, "there is no verb {}{}", mercer::quoted(first),
       suggestion.empty() ? "; see mercer --help" : suggestion);
}

int exit_code(ErrorKind kind) {
  const bool usage = kind == ErrorKind::usage || kind == ErrorKind::grammar || kind == ErrorKind::kernel;
  return usage ? kUsage : kFailed;
}

int run(const Words& words) {
  try {
    const int code = dispatch(words);
    finish_output();
    return code;
  } catch (const Error& error) {
    say(error.kind() == ErrorKind::cancelled ? kStopped : error.what());
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    say("out of memory; take fewer rows of the data, or a machine with more memory");
  } catch (const std::exception& error) {
    say(fmt::format("unexpected: {}; please report this as a bug", error.what()));
  }
  return kFailed;
}

}  // namespace

}  // namespace mercer::cli

int main(int count, char** words) {
  std::ios::sync_with_stdio(false);
  ::signal(SIGPIPE, SIG_DFL);  // a reader that went away (head) ends the command quietly, whoever started it
  return mercer::cli::run(mercer::cli::Words(words + std::min(count, 1), words + count));
}
