#include "input_words.hpp"

#include "arguments.hpp"
#include "file/file_set.hpp"
#include "output.hpp"
#include "workflow/usual_scaling.hpp"

namespace mercer::cli {

void FormatWords::declare(Arguments& arguments) {
  std::string names = "Of the data: auto";
  for (const Format one : formats()) names += fmt::format(", {}", one.name);
  arguments.option("--format", format, "NAME", names);
  arguments.option("--header", header, "WORD", "Does the first line hold names: yes, no, auto");
  arguments.option(
      "--text", text, "COLS",
      "Columns of CSV and TSV files that are text though they look like numbers, in which NA and empty fields are "
      "text too; separated by commas");
}

void FormatWords::declare_structure(Arguments& arguments) {
  arguments.option("--graphs", graphs, "COL=FOLDER",
                   "A column that holds numbers of graphs, from 1, and the folder these are in; several separated by "
                   "commas");
  arguments.option("--bag", bag, "COL", "Rows with the same value of this column are one point, a bag of them");
  arguments.option("--series", series, "COL", "The same, a series of them in the order of the file");
}

void FormatWords::declare_graph(Arguments& arguments) {
  arguments.option("--graph", graph, "EDGES",
                   "An edge list (`from to` or `from to weight` on each line); a column of DATA names its nodes");
  arguments.option("--node", node, "COL", "The column that names nodes [the first that is not a target]");
}

workflow::Source FormatWords::source(const std::string& path) const {
  for (const std::string& file : files_named(path).empty) say(fmt::format("{} is empty, and left out", file));
  std::vector<std::pair<std::string, Format>> known = {{"auto", Format::automatic}};
  for (const Format one : formats()) known.emplace_back(one.name, one);
  const std::vector<std::pair<std::string, std::optional<bool>>> headers = {
      {"auto", std::nullopt}, {"yes", true}, {"no", false}};
  return {.path = path,
          .format = choice<Format>("--format", format, known),
          .header = choice<std::optional<bool>>("--header", header, headers),
          .graphs = graphs,
          .bag = bag,
          .series = series,
          .graph = graph,
          .node = node,
          .text = text};
}

void InputWords::declare(Arguments& arguments) {
  arguments.option(
      "--scale", scale, "WORD",
      "Of the inputs: none, centred, standard, minmax [standard for CSV and TSV files of numbers; none where 8 or more "
      "columns hold whole numbers between the same bounds, as pixels do, and for other files]");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  file.declare(arguments);
  file.declare_structure(arguments);
  file.declare_graph(arguments);
}

Execution InputWords::how() const { return execution(threads); }

Scaling::Kind InputWords::scaling(const Points& x) const {
  return scale_word(scale).value_or(workflow::usual_scaling(x));
}

Points InputWords::scaled(const Points& x) const { return Scaling::of(scaling(x), x).apply(x); }

std::string InputWords::remark(const Points& x) const {
  return in_options(workflow::scaling_remark(scaling(x), !scale.empty(), x));
}

Execution execution(const std::string& threads) {
  return {.threads = static_cast<int>(whole_number("--threads", threads, 0, 1, 4096))};
}

double coverage_word(const std::string& interval) {
  const std::optional<double> percent = parse_number(interval);
  if (percent && *percent > 0 && *percent < 100) return *percent / 100;
  fail(ErrorKind::usage, "--interval: per cent, a number above 0 and below 100 such as 90, not {}",
       mercer::quoted(interval));
}

std::optional<Scaling::Kind> scale_word(const std::string& scale) {
  if (scale.empty()) return std::nullopt;
  return scaling_kind(scale);
}

}  // namespace mercer::cli
