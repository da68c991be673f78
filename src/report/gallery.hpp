// The pictures of the textbooks, made by Mercer: `make gallery` writes docs/gallery.html.
#pragma once

#include "report/exhibit.hpp"

namespace mercer::report {

// A document (web/src/charts/types.ts). The same on every machine to the digits that are drawn.
Json gallery_document();

}  // namespace mercer::report
