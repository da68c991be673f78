#include "colour.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace mercer::cli {

namespace {

bool takes_colours(Stream stream) {
  const char* const refused = std::getenv("NO_COLOR");
  if (refused != nullptr && *refused != '\0') return false;
  const char* const terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return ::isatty(stream == Stream::output ? STDOUT_FILENO : STDERR_FILENO) == 1;
}

int code_of(Ink ink) {
  switch (ink) {
    case Ink::red: return 31;
    case Ink::green: return 32;
    case Ink::yellow: return 33;
  }
  return 0;
}

}  // namespace

std::string painted(Stream stream, Ink ink, std::string_view text) {
  if (!takes_colours(stream)) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(ink), text);
}

}  // namespace mercer::cli
