// Text that waits until all of it is there.
#pragma once

#include <cstdio>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

namespace mercer::cli {

// In memory; beyond 64 MB in a temporary file without a name (in TMPDIR, or /tmp). Where that has no room, the stream
// that writes here goes bad, and copy_to throws Error(file).
class Spool final : public std::streambuf {
 public:
  void copy_to(std::ostream& out);

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  bool write_to_file();
  void require_kept() const;

  std::string held_;
  int error_ = 0;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace mercer::cli
