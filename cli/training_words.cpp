#include "training_words.hpp"

#include <cmath>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "output.hpp"

namespace mercer::cli {

void TrainingWords::declare(Arguments& arguments) {
  arguments.required("DATA", data, kDataHelp);
  arguments.option("--kernel", kernel, "EXPR",
                   "Such as 'rbf(ell=1) + linear()'; `precomputed`: DATA is K itself [rbf(ell=auto) for most machines; "
                   "fit prints the one it takes]");
  arguments.option("--target", target, "COL",
                   "What to predict: a column's name or number from 1, several for regression (a,b), or a file "
                   "[the last column]");
  arguments.option("--weights", weights, "COL", "How much each point counts: a column, or a file");
  arguments.option("--types", types, "LIST",
                   "What columns of a table are, such as 'zip=category, size=low<mid<high': number, count, yes/no, "
                   "category, ordered, date, text, drop [found out, and said]");
  arguments.option("--columns", columns, "COLS", "The inputs, separated by commas [all but the target]");
  arguments.option("--drop", drop, "COLS", "Columns that are no inputs");
  arguments.option("--missing", missing, "MARKS",
                   "What means a gap in a table, beside an empty field, NA, N/A, NaN, nan, null and ?");
  arguments.option("--series-by", series_by, "COL",
                   "The column that tells several series apart, by name or number: they share the kernel's numbers and "
                   "have nothing else in common [one series]");
  file.declare_graph(arguments);
  arguments.option("--prepare", prepare, "MAPS",
                   "What is done to rows of numbers first, such as 'deskew(28x28), unit_norm'; the model keeps it, and "
                   "predict takes inputs as they came. `mercer machines --maps` lists them [nothing]");
  arguments.option(
      "--scale", scale, "WORD",
      "Of the inputs: none, centred, standard, minmax [standard for CSV and TSV files of numbers; none where 8 or more "
      "columns hold whole numbers between the same bounds, as pixels do, and for other files]");
  arguments.option("--memory", memory, "SIZE", "Use at most this much, such as 4GB [planned from what is free]");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  file.declare(arguments);
  file.declare_structure(arguments);
}

void TrainingWords::declare_centres(Arguments& arguments) {
  arguments.option("--centres", centres, "M",
                   "Few points that stand for all: so many, or auto: as many as help [all points, unless they do not "
                   "fit into memory or --time]");
  arguments.option("--centres-by", centres_by, "WORD",
                   "How they are chosen: rpcholesky, uniform, kmeans++, thinning [rpcholesky]");
  arguments.flag(
      "--stream", stream,
      "Read rows from their files again in every pass, for machines that need no more [where they would take "
      "more than half of --memory, or a quarter of what is free]");
  arguments.option(
      "--time", time, "SECONDS",
      "For choosing, which has half of them at most, and the fit. One that would take longer gets centres, and one "
      "that goes by steps ends when they are over, with what it has; what nothing ends is refused where it would take "
      "far longer [120, counted for a usual computer, and no end]");
}

std::vector<std::string> TrainingWords::taken(std::vector<std::string> own) {
  for (const char* const word :
       {"--kernel", "--target",  "--weights", "--types",     "--columns", "--drop",   "--missing", "--graph",
        "--node",   "--prepare", "--scale",   "--memory",    "--threads", "--format", "--header",  "--text",
        "--graphs", "--bag",     "--series",  "--series-by", "--output",  "--json",   "--help"}) {
    own.emplace_back(word);
  }
  return own;
}

void put_plan(const Plan& plan, bool as_json) { as_json ? put_json(to_json(plan)) : put(plan.str()); }

namespace {

std::optional<CentreWishes> centre_words(const std::string& count, const std::string& by) {
  if (count.empty() && by.empty()) return std::nullopt;
  CentreWishes out{.count = 0};
  if (!by.empty()) out.by = centres_by(by);
  if (count.empty() || count == "auto") return out;
  const std::optional<double> given = parse_number(count);
  if (!given || !(*given >= 1) || *given != std::floor(*given)) {
    fail(ErrorKind::usage, "--centres: a whole number of at least 1, or auto, not {}", mercer::quoted(count));
  }
  out.count = static_cast<Index>(*given);
  return out;
}

std::optional<double> seconds_word(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::optional<double> given = parse_number(text);
  if (!given || !(*given > 0))
    fail(ErrorKind::usage, "--time: seconds, a number above 0, not {}", mercer::quoted(text));
  return given;
}

std::vector<std::string> words_of(const std::string& list) {
  return list.empty() ? std::vector<std::string>() : split(list, ',');
}

workflow::KernelChoice kernel_choice(const std::string& text) {
  if (text.empty()) return workflow::Usual{};
  if (text == "precomputed") return workflow::Precomputed{};
  return parse(text);
}

}  // namespace

data::TableWishes table_wishes(const std::string& types, const std::string& columns, const std::string& drop,
                               const std::string& missing) {
  return {.types = types.empty() ? std::map<std::string, std::string>() : data::type_wishes(types),
          .columns = words_of(columns),
          .drop = words_of(drop),
          .missing = words_of(missing)};
}

workflow::FitRequest TrainingWords::request(const Machine& machine, const Settings& settings) const {
  return {.machine = machine.name,
          .settings = settings,
          .kernel = kernel_choice(kernel),
          .source = file.source(data),
          .target = target,
          .weights = weights,
          .series_by = series_by,
          .table = table_wishes(types, columns, drop, missing),
          .prepare = prepare.empty() ? std::vector<RowMap>() : row_map_list(prepare),
          .scale = scale_word(scale),
          .memory = memory_size("--memory", memory),
          .stream = stream ? std::optional(true) : std::nullopt,
          .centres = centre_words(centres, centres_by),
          .time = seconds_word(time)};
}

}  // namespace mercer::cli
