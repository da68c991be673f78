// A fit as a page wants it: the model kept under a name, and told with its pictures.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/workflow.hpp"
#include "report/subject.hpp"
#include "studio/studio.hpp"

namespace mercer::studio {

struct FitWish {
  std::shared_ptr<const DataSet> data;
  workflow::FitRequest request;            // without its source, which is the data
  std::string slot = {};                   // the place on a page that it is for
  std::vector<std::string> exhibits = {};  // empty: all that apply
  bool metrics = true;                     // how good it is: may mean fitting again and again
  std::optional<std::array<double, 4>> box = {};
};
Json fit_and_show(Studio& studio, FitWish wish, const Monitor& monitor);

// What pictures and reports of a model that was fitted here are about.
report::Subject fitted_subject(const ModelEntry& entry, const Execution& how = {});

}  // namespace mercer::studio
