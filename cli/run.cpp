#include "run.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <new>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "distributed/ranks.hpp"
#include "io/unfinished.hpp"
#include "output.hpp"
#include "simd/target.hpp"
#include "verbs.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

constexpr int kFailed = 1, kUsage = 2;

constexpr std::string_view kOpening = R"(mercer: kernels that come with their proof

Usage: mercer VERB ...

)";

constexpr std::string_view kClosing = R"(
  mercer VERB --help            the options of a verb; all verbs take --json
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
shell. Data goes to standard output, messages to standard error. Exit codes: 0 success; 1 failure,
not a kernel, or not converged; 2 unreadable command. MERCER_NUM_THREADS limits the threads;
MERCER_SIMD=scalar, avx2 or avx512 takes another instruction set than the CPU's best.
)";

constexpr std::size_t kColumn = 32;  // where the purposes begin

std::string overview() {
  std::string out(kOpening);
  for (const Verb& verb : verbs()) {
    std::string left = fmt::format("  mercer {} {}", verb.name, verb.takes);
    if (left.size() >= kColumn) {
      out += left + "\n";
      left.clear();
    }
    for (const std::string& line : lines_of(verb.purpose)) {
      out += padded(left, kColumn) + line + "\n";
      left.clear();
    }
  }
  return out.append(kClosing);
}

// Several processes that share the work must be one program with one purpose.
void require_alike(const Words& words, const simd::Target& target) {
  distributed::require_same("version", MERCER_VERSION);
  distributed::require_same("instruction set", std::string(target.name));
  distributed::require_same("command", fmt::format("`{}`", fmt::join(words, " ")));
}

int run_verb(const Verb& verb, const Words& words) {
  if (distributed::several() && !verb.shared) {
    std::vector<std::string> names;
    for (const Verb& one : verbs()) {
      if (one.shared) names.push_back(one.name);
    }
    fail(ErrorKind::usage, "{} is done by one process, and here are {}; they can share {}", verb.name,
         distributed::ranks(), fmt::join(names, " and "));
  }
  return verb.run(words);
}

int dispatch(Words words) {
  if (words.empty()) {
    if (distributed::speaks()) std::cerr << overview();
    return kUsage;
  }
  // "mercer help gram" is what one types when one does not know.
  if (words[0] == "help" && words.size() > 1) words = {words[1], "--help"};
  const std::string first = words[0];
  if (first == "--help" || first == "-h" || first == "help") {
    put(overview());
    return 0;
  }
  const simd::Target& target = simd::target();  // a MERCER_SIMD that makes no sense is said before anything is done
  if (first == "--version") {
    put(fmt::format("mercer {}\ninstruction set: {}{}\n", MERCER_VERSION, target.name,
                    target.forced ? ", forced by MERCER_SIMD" : ""));
    return 0;
  }
  std::vector<std::string> names = {"help"};
  require_alike(words, target);
  if (const Verb* const verb = verb_named(first)) return run_verb(*verb, {words.begin() + 1, words.end()});
  for (const Verb& verb : verbs()) names.push_back(verb.name);
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

int answer(const Words& words) {
  try {
    return distributed::together([&] {
      const int code = dispatch(words);
      finish_output();
      return code;
    });
  } catch (const Error& error) {
    say_error(error.kind() == ErrorKind::cancelled ? kStopped : error.what());
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    say_error("out of memory; take fewer rows of the data, or a machine with more memory");
  } catch (const std::exception& error) {
    say_error(fmt::format("unexpected: {}; please report this as a bug", error.what()));
  }
  return kFailed;
}

// Data files are mapped: one that is cut short meanwhile has no bytes behind its end, and no error could be thrown from
// the place that reads them. Only what a signal handler may call.
void end_at_missing_bytes(int) {
  detail::remove_unfinished_files();
  constexpr std::string_view line =
      "mercer: a file was cut short while it was read, or its disk failed; start again when it is complete\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) ::_exit(kFailed);
  ::_exit(kFailed);
}

}  // namespace

int run(int count, char** words) {
  std::ios::sync_with_stdio(false);
  ::signal(SIGPIPE, SIG_DFL);  // a reader that went away (head) ends the command quietly, whoever started it
  ::signal(SIGXFSZ, SIG_IGN);  // a file that grew beyond `ulimit -f` is an error to be told, like a full disk
  ::signal(SIGBUS, end_at_missing_bytes);
  return answer(Words(words + std::min(count, 1), words + count));
}

}  // namespace mercer::cli
