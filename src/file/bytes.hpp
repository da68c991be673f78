// The content of a file as one piece of memory: mapped, read from a pipe, or decompressed.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace mercer {

struct Bytes {
  std::string_view text;
  std::shared_ptr<const void> owner;  // keeps the memory behind `text`
};

// The file's content, decompressed if it starts like gzip. `path` "-" is standard input.
Bytes read_bytes(const std::string& path);

bool is_gzip(std::string_view text);
// All members of a gzip file. `name` is the file's, for errors. Throws where they are more than `most` bytes.
Bytes gunzip(std::string_view text, const std::string& name,
             std::size_t most = std::numeric_limits<std::size_t>::max());

// What errors call the file: its path, or "standard input".
std::string display_name(const std::string& path);

}  // namespace mercer
