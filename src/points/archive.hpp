// Points in model files.
#pragma once

#include "file/archive_fwd.hpp"
#include "mercer/points.hpp"

namespace mercer::detail {

// How deep tables may stand in tables.
constexpr int kDeepestTable = 16;

// A header, and blocks that are called `prefix` and what follows it. The points must live until the blocks are written.
Json save_points(const Points& x, const std::string& prefix, BlockWriter& blocks, int level = 0);
// By the "kind" of the header: that of a row of src/domains/domains.cpp, where this is.
Points load_points(const Json& json, const std::string& prefix, const BlockReader& blocks, int level = 0);

// The domain of real vectors, and of tables.
Points load_dense(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);
Points load_sparse(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);
Points load_table(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);

}  // namespace mercer::detail
