// Tables in a model file.
#include "base/fail.hpp"
#include "file/blocks.hpp"
#include "points/archive.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace detail {

namespace {

std::string part_prefix(const std::string& prefix, std::size_t part) { return fmt::format("{}.{}", prefix, part + 1); }

Json table_json(const Table& x, const std::string& prefix, BlockWriter& blocks, int level) {
  if (level == kDeepestTable) {
    fail(ErrorKind::usage, "save: tables within tables more than {} levels deep; put their columns into one",
         kDeepestTable);
  }
  Json parts = Json::array();
  for (const auto& [name, part] : x.parts) {
    const std::string own = part_prefix(prefix, parts.size());
    parts.push_back({{"name", text_json(name)}, {"points", save_points(part, own, blocks, level + 1)}});
  }
  return {{"kind", "table"}, {"parts", std::move(parts)}};
}

}  // namespace

Points load_table(const Json& json, const std::string& prefix, const BlockReader& blocks, int level) {
  if (level == kDeepestTable) fail(ErrorKind::file, "tables within tables more than {} levels deep", kDeepestTable);
  std::vector<std::pair<std::string, Points>> parts;
  for (const Json& part : list(json, "parts")) {
    const std::string own = part_prefix(prefix, parts.size());
    parts.emplace_back(text(member(part, "name")), load_points(member(part, "points"), own, blocks, level + 1));
  }
  auto out = std::make_shared<Table>(std::move(parts));
  require_distinct(*out);
  return Points(std::move(out));
}

}  // namespace detail

Json Table::save(const std::string& prefix, detail::BlockWriter& blocks, int level) const {
  return detail::table_json(*this, prefix, blocks, level);
}

}  // namespace mercer
