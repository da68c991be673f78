// FASTA: ">name description" lines, each followed by the letters of its sequence on any number of lines.
#pragma once

#include <string>
#include <string_view>

#include "mercer/dataset.hpp"

namespace mercer::detail {

// The points are the sequences, letters as they stand, without white space. The target is what the options name, "name"
// (the first word behind >) or "description" (the rest of the line); else the description, where some have one. Lines
// that begin with ; are comments. A DataError names the line.
Dataset parse_fasta(std::string_view text, const std::string& name, const ReadOptions& options);

bool looks_like_fasta(std::string_view beginning);

}  // namespace mercer::detail
