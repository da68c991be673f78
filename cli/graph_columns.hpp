// Columns of data files that point to graphs, which stand in a folder of their own.
#pragma once

#include <string>

#include "mercer/points.hpp"

namespace mercer::cli {

constexpr const char* kGraphsHelp =
    "A column that holds numbers of graphs, from 1, and the folder these are in; several with commas between";

// The same points with graphs in the place of their numbers. `words` is "molecule=FOLDER" or several of such with
// commas between; `path` is the file's, for errors.
Points with_graphs(const Points& x, const std::string& words, const std::string& path);

}  // namespace mercer::cli
