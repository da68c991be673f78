#include "file/file_mark.hpp"

#include <sys/stat.h>

#include "base/fail.hpp"

namespace mercer {

FileMark file_mark(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    fail(ErrorKind::file, "{}: is gone, though it is still being read; keep files where they are until the end", path);
  }
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void require_unchanged(const std::string& path, const FileMark& before) {
  if (file_mark(path) == before) return;
  fail(ErrorKind::file, "{}: changed while it was read; start again, and keep files as they are until the end", path);
}

}  // namespace mercer
