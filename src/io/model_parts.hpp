// Between a model and the header and blocks of its file.
#pragma once

#include "file/blocks.hpp"
#include "mercer/model.hpp"
#include "mercer/recipe.hpp"

namespace mercer::detail {

// The version of the format, in the first line of a file and in its header. The first one had no posterior and no
// slope, the second no maps of rows, the third no recipe of a raw table; all are read as well. A file is of the lowest
// version that can hold its model, so that programs of before go on reading what they understand.
constexpr int kModelFormat = 4, kFormatWithoutRecipe = 3, kFormatWithoutMaps = 2, kOldestFormat = 1;
int format_of(const Model::Parts& parts);

// The header, and what it refers to in `blocks`. The parts must live until the blocks are written.
Json header_of(const Model::Parts& parts, BlockWriter& blocks);
Model::Parts parts_from(const Json& header, Index format, const BlockReader& blocks);

// What is known of f beside its mean.
Json posterior_json(const std::optional<Posterior>& posterior, BlockWriter& blocks);
std::optional<Posterior> posterior_from(const Json& header, const BlockReader& blocks);

// What the columns of a raw table are.
Json recipe_json(const Recipe& recipe);
Recipe recipe_from(const Json& json);

// How deep a header is, with tables in tables as deep as may be.
constexpr int kDeepestHeader = 64;

}  // namespace mercer::detail
