#include "spool.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/fail.hpp"

namespace mercer::cli {

namespace {

constexpr std::size_t kHeld = std::size_t{64} << 20;

}  // namespace

void Spool::require_kept() const {
  if (error_ == 0) return;
  fail(ErrorKind::file, "standard output: {} has no room to keep the answers until all are there: {}; name a file (-o)",
       std::filesystem::temp_directory_path().string(), std::strerror(error_));
}

Spool::int_type Spool::overflow(int_type c) {
  const char one = traits_type::to_char_type(c);
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize Spool::xsputn(const char* text, std::streamsize size) {
  held_.append(text, static_cast<std::size_t>(size));
  return held_.size() <= kHeld || write_to_file() ? size : 0;
}

bool Spool::write_to_file() {
  errno = 0;
  if (!file_) {
    std::string name = (std::filesystem::temp_directory_path() / "mercer-XXXXXX").string();
    const int fd = ::mkstemp(name.data());
    if (fd >= 0) {
      ::unlink(name.c_str());
      file_.reset(::fdopen(fd, "w+b"));
    }
  }
  const bool kept =
      file_ && std::fwrite(held_.data(), 1, held_.size(), file_.get()) == held_.size() && std::fflush(file_.get()) == 0;
  if (!kept) error_ = errno != 0 ? errno : EIO;
  held_.clear();
  return kept;
}

void Spool::copy_to(std::ostream& out) {
  require_kept();
  if (file_) {
    std::rewind(file_.get());
    std::string piece(std::size_t{1} << 20, '\0');
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file_.get())) {
      out.write(piece.data(), static_cast<std::streamsize>(got));
    }
    if (std::ferror(file_.get()) != 0) error_ = EIO;
    require_kept();
  }
  out << held_;
}

}  // namespace mercer::cli
