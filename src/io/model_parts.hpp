// Between a model and the header and blocks of its file.
#pragma once

#include "io/model_blocks.hpp"
#include "mercer/model.hpp"

namespace mercer::detail {

// The version of the format, in the first line of a file and in its header. The first one had no posterior and no
// slope, and is read as well.
constexpr int kModelFormat = 2, kOldestFormat = 1;

// The header, and what it refers to in `blocks`. The parts must live until the blocks are written.
Json header_of(const Model::Parts& parts, BlockWriter& blocks);
Model::Parts parts_from(const Json& header, Index format, const BlockReader& blocks);

// What is known of f beside its mean.
Json posterior_json(const std::optional<Posterior>& posterior, BlockWriter& blocks);
std::optional<Posterior> posterior_from(const Json& header, const BlockReader& blocks);

// Points; their blocks are called `prefix` and what follows it.
Json points_json(const Points& x, const std::string& prefix, BlockWriter& blocks, int level = 0);
Points points_from(const Json& json, const std::string& prefix, const BlockReader& blocks, int level = 0);

// How deep tables may stand in tables, and what that makes of the header.
constexpr int kDeepestTable = 16, kDeepestHeader = 64;

}  // namespace mercer::detail
