// Names of what model files are made of, for headers that only mention them.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace mercer::detail {

using Json = nlohmann::ordered_json;
class BlockWriter;
class BlockReader;

}  // namespace mercer::detail
