// A file from front to back of which a window is in memory: mapped, or unpacked as it is asked for.
//
// The file must stay as it is while this lives; whether it did can be asked at any time. Not for several threads at
// once.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "file/bytes.hpp"
#include "file/file_mark.hpp"

namespace mercer {

class TextWindow {
 public:
  // Throws unless it is a regular file that can be read.
  explicit TextWindow(const std::string& path);

  const std::string& name() const { return path_; }
  std::string_view text() const;               // what is not dropped yet, as far as it is in memory
  const Bytes& file() const { return file_; }  // all of it as it lies on the disk
  bool is_end() const;                         // and nothing comes behind it
  void grow();                                 // more of what comes behind, unless that is the end
  void drop(std::size_t bytes);                // from the beginning
  bool is_mapped() const { return !packed_; }
  // Bytes of the file that were read and will hardly be soon: their memory goes back to the system, which reads them
  // again where they are looked at.
  void let_go(std::size_t begin, std::size_t end);
  void go_to(std::size_t offset);  // of a packed file, its beginning alone: 0
  // How much of the file has been passed, from 0 to 1.
  double passed() const;

  // Throws where the file is no longer the one that was opened.
  void require_unchanged() const { mercer::require_unchanged(path_, mark_); }
  const FileMark& mark() const { return mark_; }

 private:
  std::string path_;
  Bytes file_;  // as it lies on the disk
  FileMark mark_;
  std::size_t held_ = 0;  // mapped: from here on pages may be in memory
  std::size_t at_ = 0;    // mapped: how far; packed: of the window

  std::unique_ptr<GzipReader> packed_;
  std::string window_;
  std::size_t filled_ = 0;
};

}  // namespace mercer
