// A fitted model as the server keeps it.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "mercer/workflow.hpp"
#include "studio/data_set.hpp"

namespace mercer::studio {

struct ModelEntry {
  Model model;
  std::shared_ptr<const DataSet> data;  // what it was fitted to
  std::string target = {};
  nlohmann::ordered_json told = {};  // what the page was told of it, without pictures
};

}  // namespace mercer::studio
