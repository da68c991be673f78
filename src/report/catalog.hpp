// The pictures that there are: each is a row, and is made where it applies to a model and its data.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/exhibit.hpp"
#include "report/subject.hpp"

namespace mercer::report {

struct Picture {
  std::string_view id;       // "confusion"
  std::string_view section;  // of the document: "model", "quality", "learnt", "kernel", "fit"
  bool (*applies)(const Subject& subject);
  Exhibit (*make)(const Subject& subject);
};

// In the order of the document. Files of src/report/charts make them; report/charts.hpp declares them.
const std::vector<Picture>& pictures();

// Those named, or all that apply. A picture that cannot be made leaves a note that says why in its place; a wish to
// stop goes on as it came. UsageError where no picture has the name.
std::vector<Exhibit> exhibits_of(const Subject& subject, std::span<const std::string> wanted = {});
// Those of one section.
std::vector<Exhibit> section_of(const Subject& subject, std::string_view section);

}  // namespace mercer::report
