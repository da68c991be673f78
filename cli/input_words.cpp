#include "input_words.hpp"

#include "arguments.hpp"
#include "graph_columns.hpp"
#include "points/objects.hpp"
#include "points/rep.hpp"
#include "row_groups.hpp"

namespace mercer::cli {

void InputWords::declare(Arguments& arguments) {
  arguments.option("--scale", scale, "WORD",
                   "Of the inputs: none, standard, minmax [standard for CSV and TSV files of numbers, else none]");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  arguments.option("--format", file.format, "NAME", format_help());
  arguments.option("--header", file.header, "WORD", "Does the first line hold names: yes, no, auto");
  arguments.option("--graphs", file.graphs, "COL=FOLDER", kGraphsHelp);
  declare_groups(arguments, file);
}

Execution InputWords::how() const {
  return {.threads = static_cast<int>(whole_number("--threads", threads, 0, 1, 4096))};
}

Scaling::Kind InputWords::scaling(const Points& x) const {
  return scale.empty() ? usual_scaling(x) : scaling_kind(scale);
}

Points InputWords::scaled(const Points& x) const { return Scaling::of(scaling(x), x).apply(x); }

std::string InputWords::remark(const Points& x) const { return scaling_remark(scaling(x), !scale.empty()); }

Scaling::Kind usual_scaling(const Points& x) {
  const Points rows = elements_of(x).value_or(x);
  const bool table_of_numbers = rows.domain().kind == "reals" && !rows.column_names().empty() && !is_sparse(rows);
  return table_of_numbers ? Scaling::Kind::standard : Scaling::Kind::none;
}

std::string scaling_remark(Scaling::Kind kind, bool asked) {
  static const std::vector<std::string> texts = {"as they are", "scaled to mean 0 and standard deviation 1",
                                                 "scaled to the range 0 to 1"};
  return fmt::format("inputs {}{}", texts[static_cast<std::size_t>(kind)],
                     asked || kind == Scaling::Kind::none ? "" : "; --scale none leaves them alone");
}

}  // namespace mercer::cli
