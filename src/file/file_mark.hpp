// Whether a file is still the one that it was.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace mercer {

// Where it lies, its size and when it was written last.
struct FileMark {
  dev_t device = 0;
  ino_t number = 0;
  off_t size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;
  friend bool operator==(const FileMark&, const FileMark&) = default;
};

// Throws where there is no such file any more.
FileMark file_mark(const std::string& path);

// Throws unless it is as it was.
void require_unchanged(const std::string& path, const FileMark& before);

}  // namespace mercer
