// Several files as one data set: which files a text names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct FileSet {
  std::vector<std::string> files = {};  // one at least
  std::vector<std::string> empty = {};  // files of a set that hold nothing, or empty lines, and are left out of it
};

// The file of that name, where there is one, or standard input ("-"). Else the files that it lists, separated by
// commas, each a name or a pattern (* ? [a-z], as in a shell); those of a pattern in their natural order, without
// folders. Throws where a pattern matches nothing, a file is named twice, or all are empty. A name that is no file
// is left for the reader to refuse.
FileSet files_named(const std::string& path);

// part-2 before part-10: digits in a row count as one number.
bool naturally_before(std::string_view a, std::string_view b);

}  // namespace mercer
