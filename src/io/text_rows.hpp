// The rows of a text file, from front to back and again from any of them.
//
// Of a file that is mapped, places of rows that were passed are kept, one for every few thousand, so that going back
// costs no more than passing those. A packed file is unpacked from its beginning again: whoever goes through the rows
// over and over, as solvers do, pays for no more than that, and no room on a disk is needed for a second copy of it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "file/text_window.hpp"
#include "mercer/matrix.hpp"

namespace mercer {

// The first rows of a text, and the bytes and lines that they take with their line ends.
struct FirstRows {
  Index rows = 0, lines = 0;
  std::size_t bytes = 0;
};

class TextRows {
 public:
  // At most `most` rows from the beginning of a text. One that the text may cut short counts where it is `complete`.
  using Ends = std::function<FirstRows(std::string_view text, Index most, bool complete)>;

  TextRows(const std::string& path, Ends ends);

  struct Block {
    std::string_view text;    // until the next call; without the last line end
    Index row = 0, rows = 0;  // those before, and in it
    Index line = 1;           // of its first line
  };
  // The rows that follow: at most `most`, and fewer where they take more than some 64 MB; nothing at the end. Line ends
  // at the end of the file are no rows.
  std::optional<Block> take(Index most);
  void go_to(Index row);  // of those that are there
  const TextWindow& window() const { return window_; }

 private:
  struct Mark {
    Index row, line;
    std::size_t offset;
  };

  TextWindow window_;
  Ends ends_;
  Mark at_ = {0, 1, 0};
  std::vector<Mark> marks_ = {at_};
};

}  // namespace mercer
