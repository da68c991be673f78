#include "file/text_window.hpp"

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

void TextWindow::drop(std::size_t bytes) { at_ += bytes; }

void TextWindow::go_to(std::size_t offset) {
  assert(is_mapped() || offset == 0);
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
