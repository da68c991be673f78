// The one folder whose files a page may see: those in it and below it, by names that stay inside whatever they say.
// The system itself refuses names that lead out, by ".." or by a link (openat2 with RESOLVE_BENEATH), so nothing can
// change between looking and opening. Writing makes new files only. Thread-safe.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace mercer::studio {

class Folder {
 public:
  explicit Folder(const std::string& path);  // throws FileError
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string name() const;  // the last part of the path

  struct File {
    std::string name;  // from the folder on: "runs/a.csv"
    std::uint64_t size;
  };
  // Files of a name that data or models have, two levels deep, a thousand at most, in order of their names.
  std::vector<File> files() const;
  // The content. Throws Failure: 404 where there is none, 403 where the name leads out, 413 beyond kMostBody.
  std::string read(const std::string& name) const;
  // Throws Failure: 409 where the name is taken. A file that is not written whole is removed again.
  void write_new(const std::string& name, const std::string& content) const;

 private:
  int open(const std::string& name, int flags) const;

  std::string path_;
  int descriptor_;
};

}  // namespace mercer::studio
