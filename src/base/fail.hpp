// Throwing an Error whose text is put together by {fmt}.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "mercer/error.hpp"

namespace mercer {

template <class... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(kind, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace mercer
