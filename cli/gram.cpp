// mercer gram, mercer distances: the matrix of a kernel, or of its distances, on a data file.
#include "mercer/gram.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "arguments.hpp"
#include "base/parallel.hpp"
#include "data/data_pair.hpp"
#include "input_words.hpp"
#include "mercer/distances.hpp"
#include "mercer/io.hpp"
#include "output.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

// Refused before the work rather than after it.
void require_known_ending(const std::string& path) {
  if (is_standard(path) || path.ends_with(".npy") || path.ends_with(".csv")) return;
  fail(ErrorKind::usage, "-o: {} ends in neither .npy nor .csv", mercer::quoted(path));
}

double memory_left() {
  std::ifstream in("/proc/meminfo");
  double total = 0;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("MemAvailable:") && !line.starts_with("SwapFree:")) continue;
    const std::vector<std::string> words = split(line.substr(line.find(':') + 1), 'k');
    total += 1024 * parse_number(words.front()).value_or(0);
  }
  return total > 0 ? total : std::numeric_limits<double>::infinity();
}

// Linux gives out memory it does not have and kills whoever uses it: a message is better.
void expect_to_fit(Index rows, Index cols) {
  const double bytes = sizeof(double) * static_cast<double>(rows) * static_cast<double>(cols);
  if (bytes <= memory_left()) return;
  fail(ErrorKind::numeric, "the matrix of {} x {} numbers takes {} and {} of memory are left; take fewer rows", rows,
       cols, bytes_text(bytes), bytes_text(memory_left()));
}

double peak_memory() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

// What a verb computes of all pairs, and how it is introduced.
struct Pairwise {
  const char* verb;
  const char* about;
  const char* examples;
  bool distances;
};

Matrix computed(const Pairwise& what, bool squared, const Kernel& k, const Points& x, const std::optional<Points>& y,
                const Execution& how) {
  if (!what.distances) return y ? cross(k, x, *y, how) : gram(k, x, how);
  if (squared) return y ? squared_distances(k, x, *y, how) : squared_distances(k, x, how);
  return y ? distances(k, x, *y, how) : distances(k, x, how);
}

int run_pairwise(const Pairwise& what, const Words& words) {
  std::string text, data, with, output, target, threads;
  FormatWords file;
  bool verbose = false, as_json = false, squared = false;
  Arguments arguments(what.verb, what.about, what.examples);
  arguments.required("EXPR", text, "A kernel, such as 'rbf(ell=1) + linear()'");
  arguments.required("DATA", data, kDataHelp);
  arguments.option("--with", with, "DATA2", "The points of the columns, if not those of the rows");
  if (what.distances) arguments.flag("--squared", squared, "d^2 instead of d");
  arguments.option("-o,--output", output, "FILE", "K.npy or K.csv; without it CSV goes to standard output");
  arguments.is_output();
  arguments.option("--target", target, "COL", "A column to leave out: its name, or its number from 1");
  file.declare(arguments);
  file.declare_structure(arguments);
  file.declare_graph(arguments);
  arguments.option("--threads", threads, "N", "Default: MERCER_NUM_THREADS, or one per core");
  arguments.flag("-v,--verbose", verbose, "Print size, time and memory on standard error");
  arguments.flag("--json", as_json, "A summary on standard output, for programs; needs -o");
  if (!arguments.parse(words)) return 0;

  const workflow::Source source = file.source(data);
  Execution how = execution(threads);
  const Threads limit(how.threads);
  require_known_ending(output);
  if (as_json && is_standard(output)) {
    fail(ErrorKind::usage, "{}: --json puts a summary on standard output, so the matrix needs a file: add -o K.npy",
         what.verb);
  }
  if (data == "-" && with == "-") {
    fail(ErrorKind::usage, "{}: only one of DATA and DATA2 can be standard input", what.verb);
  }
  const Kernel given = parse(text);

  Watch watch;
  const Stopwatch reading;
  const data::DataPair read =
      data::read_pair(source, with.empty() ? std::nullopt : std::optional(file.source(with)), target);
  const Points& x = read.first;
  const std::optional<Points>& y = read.second;
  const double read_seconds = reading.seconds();
  watch.gently();

  const Kernel k = given.resolve(x);
  if (!(k == given)) say("auto is " + k.str());
  expect_to_fit(x.size(), y ? y->size() : x.size());
  how.monitor = watch.monitor();
  const Stopwatch computing;
  const Matrix matrix = computed(what, squared, k, x, y, how);
  const double seconds = computing.seconds();
  watch.done();
  const Stopwatch writing;
  if (output.ends_with(".npy")) {
    write_npy(output, matrix);
  } else {
    write_output(output, [&](std::ostream& out) { write_csv(out, matrix); });
  }

  const double bytes = sizeof(double) * static_cast<double>(matrix.rows()) * static_cast<double>(matrix.cols());
  if (verbose) {
    say(fmt::format("{} x {} numbers, {}; read in {}, computed in {}, written in {}; {} of memory at most",
                    matrix.rows(), matrix.cols(), bytes_text(bytes), seconds_text(read_seconds), seconds_text(seconds),
                    seconds_text(writing.seconds()), bytes_text(peak_memory())));
  }
  if (as_json) {
    put_json(Json{{"kernel", k.str()},
                  {"rows", matrix.rows()},
                  {"columns", matrix.cols()},
                  {"output", output},
                  {"bytes", static_cast<std::int64_t>(bytes)},
                  {"read_seconds", read_seconds},
                  {"seconds", seconds},
                  {"write_seconds", writing.seconds()},
                  {"peak_memory", static_cast<std::int64_t>(peak_memory())}});
  }
  return 0;
}

}  // namespace

int run_gram(const Words& words) {
  return run_pairwise(
      {.verb = "gram",
       .about = "The matrix of a kernel: of all pairs of rows of DATA or, with --with, of each row of DATA and each "
                "row of DATA2. Every column is an input unless --target takes it out.",
       .examples = "  mercer gram 'rbf(ell=auto)' points.csv --target label -o K.npy\n"
                   "  mercer gram 'poly(degree=2)' train.svm --with test.svm.gz -o K.csv\n"
                   "  mercer gram 'on(text, spectrum(k=3))' people.csv > K.csv\n",
       .distances = false},
      words);
}

int run_distances(const Words& words) {
  return run_pairwise(
      {.verb = "distances",
       .about = "Distances in the feature space of a kernel, d^2 = k(x,x) + k(y,y) - 2 k(x,y): of all pairs of rows of "
                "DATA or, with --with, of each row of DATA and each row of DATA2. Every column is an input unless "
                "--target takes it out.",
       .examples = "  mercer distances 'rbf(ell=auto)' points.csv --target label -o D.npy\n"
                   "  mercer distances 'wl(h=3)' graphs/MUTAG --squared > D2.csv\n",
       .distances = true},
      words);
}

}  // namespace mercer::cli
