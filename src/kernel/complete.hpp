// What can end a kernel's text that somebody is typing: names of the catalog, and inside on( the columns of the data.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct Completion {
  struct Word {
    std::string text, help;  // "rbf(", its formula
  };
  std::size_t from = 0;  // the words take the place of the text from here on
  std::vector<Word> words;
};
// The words begin with what is there of them. `columns` is called where columns can stand.
Completion complete(std::string_view text, const std::function<std::vector<std::string>()>& columns);

}  // namespace mercer
