// A document as one page that opens from a file, without a network.
#pragma once

#include "report/exhibit.hpp"

namespace mercer::report {

// The page with the document in it, at most kMostBytes; the same document gives the same bytes. Nothing of it can end
// the script it stands in: "<" and the line ends of JavaScript are escaped.
std::string html(const Json& document);

}  // namespace mercer::report
