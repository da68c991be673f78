// What verbs that look at a data file take: how it is read, what its columns are scaled to, on how many threads.
#pragma once

#include <string>

#include "mercer/workflow.hpp"

namespace mercer::cli {

class Arguments;

// Of an argument that names points.
inline constexpr const char* kDataHelp =
    "A file of CSV, TSV, LIBSVM, NPY or IDX, also .gz; several files that are one table: a pattern in quotes "
    "('part-*.csv'), or a list (a.csv,b.csv); - is standard input";

// What a file is, as texts.
struct FormatWords {
  std::string format = "auto", header = "auto", text = {};
  std::string graphs = {}, bag = {}, series = {}, graph = {}, node = {};

  void declare(Arguments& arguments);            // --format, --header and --text
  void declare_structure(Arguments& arguments);  // --graphs, --bag and --series
  void declare_graph(Arguments& arguments);      // --graph and --node, which a model knows for itself
  // Says which files of several are empty, and left out.
  workflow::Source source(const std::string& path) const;
};

struct InputWords {
  FormatWords file = {};
  std::string scale = {}, threads = {};

  void declare(Arguments& arguments);
  Execution how() const;
  Scaling::Kind scaling(const Points& x) const;  // asked for, or usual
  Points scaled(const Points& x) const;
  std::string remark(const Points& x) const;  // what was done
};

// The number of threads that --threads asks for.
Execution execution(const std::string& threads);
// What --interval asks for, as a share: "90" is 0.9.
double coverage_word(const std::string& interval);
// What --scale asks for; nothing where it is not given.
std::optional<Scaling::Kind> scale_word(const std::string& scale);

}  // namespace mercer::cli
