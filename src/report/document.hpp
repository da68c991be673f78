// A report as a document: what the model is, how good, the pictures, what to worry about, how to get it again.
// web/src/charts/types.ts says how it is drawn; report/html.hpp makes a page of it.
#pragma once

#include "report/exhibit.hpp"
#include "report/report.hpp"

namespace mercer::report {

// The same for the same subject and cover, to the last byte.
Json document_of(const Subject& subject, const Cover& cover = {});

}  // namespace mercer::report
