// mercer/wording.hpp: messages in the words of whoever shows them.
//
// Errors and remarks name what a caller has given, or could give, in back quotes and by its name in C++, with a value
// behind "=" where one is meant:
//     DataError: wine.csv: `target`: no column "qualty" among acidity, quality; did you mean quality?
//     inputs scaled to mean 0 and standard deviation 1; `scale=none` leaves them alone
// Users of a command, of Python or of a page write these arguments in other ways; spelled() puts in theirs.
//     spelled(error.what(), [](Argument a) { return "--" + std::string(a.name) + ...; });
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace mercer {

// Of a request (mercer/workflow.hpp), of a source or of reading one.
struct Argument {
  std::string_view name;        // "target"; "source" for the data themselves
  std::string_view value = {};  // "a,b"; empty where none is meant
};

// Other words in back quotes stay as they are.
std::string spelled(std::string_view text, const std::function<std::string(const Argument&)>& spelling);

}  // namespace mercer
