// Names of what model files are made of, for headers that only mention them.
#pragma once

namespace mercer {
class Json;
}

namespace mercer::detail {

class BlockWriter;
class BlockReader;

}  // namespace mercer::detail
