// What is too long for a page: names of ten thousand letters, pictures of a million numbers.
#pragma once

#include "report/exhibit.hpp"

namespace mercer::report {

// A report with everything in it is no longer than this.
inline constexpr std::size_t kMostBytes = 2'000'000;

// At most so many bytes, cut between characters, with an ellipsis in the middle where it was longer.
std::string cut(const std::string& text, std::size_t most);

// The document with every text of a length that a page can show and, where it is still longer than `most` bytes, with
// the largest pictures left out, each saying so in its place.
Json within(Json document, std::size_t most);

}  // namespace mercer::report
