// What went wrong, as an answer says it.
#pragma once

#include <stdexcept>
#include <string>

#include "base/json.hpp"

namespace mercer::studio {

// One line, valid whatever the names in it are.
std::string to_text(const Json& value);

struct Failure : std::runtime_error {
  Failure(int status, const std::string& error, std::string where = {}, std::string hint = {})
      : std::runtime_error(error), status(status), where(std::move(where)), hint(std::move(hint)) {}
  int status;
  std::string where, hint;

  Json json() const;  // {error, where, hint}
};

// What the library says, with arguments in words of the page: `target=y` is target y.
std::string in_page_words(std::string_view text);

// Of the exception that is being handled: an Error in its own words, anything else as well as can be.
Failure current_failure();

}  // namespace mercer::studio
