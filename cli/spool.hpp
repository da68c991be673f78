// Text that waits until all of it is there.
#pragma once

#include <cstdio>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

namespace mercer::cli {

// In memory; beyond 64 MB in a temporary file without a name (in TMPDIR, or /tmp). Throws Error(file) where that has no
// room.
class Spool final : public std::streambuf {
 public:
  void copy_to(std::ostream& out);

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  void write_to_file();
  [[noreturn]] void fail_to_keep() const;

  std::string held_;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace mercer::cli
