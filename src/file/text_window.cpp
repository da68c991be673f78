#include "file/text_window.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/fail.hpp"

namespace mercer {

TextWindow::TextWindow(const std::string& path) : path_(path), file_(map_bytes(path)), mark_(file_mark(path)) {
  if (static_cast<std::size_t>(mark_.size) != file_.text.size()) {
    fail(ErrorKind::file, "{}: changed while it was opened; start again when it is complete", path_);
  }
  if (is_gzip(file_.text)) {
    packed_ = std::make_unique<GzipReader>(file_.text, path_);
    grow();
  }
}

std::string_view TextWindow::text() const {
  if (!packed_) return file_.text.substr(at_);
  return std::string_view(window_).substr(at_, filled_ - at_);
}

bool TextWindow::is_end() const { return !packed_ || packed_->is_end(); }

void TextWindow::grow() {
  if (is_end()) return;
  constexpr std::size_t least = std::size_t{1} << 22;
  // What was dropped makes room.
  std::memmove(window_.data(), window_.data() + at_, filled_ - at_);
  filled_ -= at_;
  at_ = 0;
  if (window_.size() - filled_ < least) window_.resize(std::max(2 * window_.size(), filled_ + least));
  filled_ += packed_->read(window_.data() + filled_, window_.size() - filled_);
}

void TextWindow::let_go(std::size_t begin, std::size_t end) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  begin = (begin + page - 1) / page * page;
  end = std::min(end, file_.text.size()) / page * page;
  if (begin >= end) return;
  // Of a mapped file this loses nothing.
  ::madvise(const_cast<char*>(file_.text.data()) + begin, end - begin, MADV_DONTNEED);
}

void TextWindow::drop(std::size_t bytes) {
  constexpr std::size_t kMany = std::size_t{1} << 22;
  if (!packed_ && at_ - held_ > kMany) {  // what was dropped before: the last may still be looked at
    let_go(held_, at_);
    held_ = at_;
  }
  at_ += bytes;
}

void TextWindow::go_to(std::size_t offset) {
  assert(is_mapped() || offset == 0);
  if (!packed_) {
    let_go(held_, at_);
    held_ = offset;
  }
  at_ = offset;
  if (!packed_) return;
  packed_ = std::make_unique<GzipReader>(file_.text, path_);
  filled_ = 0;
  grow();
}

double TextWindow::passed() const {
  const std::size_t bytes = packed_ ? packed_->taken() : at_;
  return static_cast<double>(bytes) / static_cast<double>(std::max<std::size_t>(file_.text.size(), 1));
}

}  // namespace mercer
