// Colours, where they are read by a person: on a terminal that has them, unless NO_COLOR is set (no-color.org).
#pragma once

#include <string>
#include <string_view>

namespace mercer::cli {

enum class Stream { output, errors };
enum class Ink { red, green, yellow };

// The text between the terminal's words for the colour, or as it stands.
std::string painted(Stream stream, Ink ink, std::string_view text);

}  // namespace mercer::cli
