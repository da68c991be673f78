// Predictions file by file: one output for each input.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace mercer::cli {

struct FilePair {
  std::string input, output;
};

// For each file that `data` names, the one in `folder` with its name and the ending .csv, packed (.gz) where the input
// is. The folder is made if need be. Throws UsageError where it holds an input, or two inputs would have one output.
std::vector<FilePair> outputs_in(const std::string& folder, const std::string& data);

// Whether the output is there, complete, and newer than its input and the model, so that it need not be made again.
bool is_up_to_date(const FilePair& files, const std::string& model);

// The first line of a file, packed or not.
std::string first_line_of(const std::string& path);

// Calls `write` on the output, packed where its name says so; it is there when it is complete.
void write_file(const std::string& output, const std::function<void(std::ostream&)>& write);

}  // namespace mercer::cli
