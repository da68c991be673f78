// All that the handlers of one server share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "studio/data_set.hpp"
#include "studio/events.hpp"
#include "studio/folder.hpp"
#include "studio/guard.hpp"
#include "studio/jobs.hpp"
#include "studio/lane.hpp"
#include "studio/limits.hpp"
#include "studio/model_entry.hpp"
#include "studio/store.hpp"
#include "studio/token.hpp"

namespace mercer::studio {

struct Studio {
  std::function<void(const std::string&)> log;  // one line for the terminal
  std::unique_ptr<Folder> folder = {};          // none: a page sees no files
  std::string open = {};                        // the file in it that the command named

  std::string server = random_token().substr(0, 8);  // tells one run of the server from the next
  Guard guard = {0, random_token(), random_token()};
  Store<DataSet> data{'d', 64, 512U << 20};
  Store<ModelEntry> models{'m', 256, 256U << 20};
  Events events{256, 32U << 20};
  Jobs jobs{events, [this](const std::string& line) { log(line); }};
  // Last, so that their threads end before what they use.
  Lane quick{kMostWaiting}, patient{kMostWaiting}, files{kMostWaiting};
};

}  // namespace mercer::studio
