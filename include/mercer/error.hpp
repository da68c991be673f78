// mercer/error.hpp: the one exception type of the library.
//
// Bad input throws `Error`; its text is one line that says what was wrong, where, and what to do:
//     DomainError: min(): needs x >= 0; row 17, column "dose" is -0.3
// A broken precondition inside the library is a bug and asserts. Nothing here prints, aborts or exits.
#pragma once

#include <stdexcept>
#include <string>

namespace mercer {

enum class ErrorKind {
  usage,      // a call or a command that makes no sense
  grammar,    // a kernel text that cannot be read
  kernel,     // a rule whose side condition fails: negative ell, a matrix that is not PSD
  domain,     // a kernel applied to inputs it is not defined on
  shape,      // sizes that do not fit
  data,       // a value in the data: NaN, ragged row, text where a number belongs
  file,       // a file that cannot be opened, read or written
  numeric,    // a computation that cannot succeed in floating point
  cancelled,  // the caller's Monitor asked to stop
};

// "DomainError", "GrammarError", ...: the word an error's text starts with.
const char* name_of(ErrorKind kind);

class Error : public std::runtime_error {
 public:
  // what() is "<name_of(kind)>: <message>"; of very long words in the message only the ends are kept.
  Error(ErrorKind kind, const std::string& message);
  ErrorKind kind() const { return kind_; }
  std::string message() const;  // what() without the name of the kind

 private:
  ErrorKind kind_;
};

}  // namespace mercer
