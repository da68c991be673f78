// A fitted model as the server keeps it.
#pragma once

#include <memory>
#include <string>

#include "base/json.hpp"
#include "mercer/workflow.hpp"
#include "studio/data_set.hpp"

namespace mercer::studio {

struct ModelEntry {
  Model model;
  std::shared_ptr<const DataSet> data;  // what it was fitted to
  std::string target = {};
  Json told = {};  // what the page was told of it, without pictures
};

}  // namespace mercer::studio
