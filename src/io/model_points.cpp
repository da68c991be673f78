// Points in a model file: dense rows, sparse rows, texts, and tables of these.
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "io/model_parts.hpp"
#include "io/readers.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

template <class T>
Json dense_json(const DenseReals<T>& x, const std::string& prefix, BlockWriter& blocks) {
  Json out = {{"kind", "dense"}, {"type", block_type<T>()}, {"names", texts_json(x.names)}, {"groups", Json::array()}};
  for (const NamedColumns& group : x.groups) {
    out["groups"].push_back({text_json(group.name), group.positions.begin, group.positions.end});
  }
  blocks.add(prefix, x.values);
  return out;
}

template <class T>
Points dense_from(const Json& json, const std::string& prefix, const BlockReader& blocks) {
  auto block = blocks.rows<T>(prefix);
  std::vector<NamedColumns> groups;
  for (const Json& group : list(json, "groups")) {
    if (!group.is_array() || group.size() != 3) fail(ErrorKind::file, "a group of columns is not [name, first, end]");
    const Range positions{whole(group[1]), whole(group[2])};
    if (positions.begin >= positions.end || positions.end > block.cols) {
      fail(ErrorKind::file, "a group of columns ends at {} of {}", positions.end, block.cols);
    }
    groups.push_back({text(group[0]), positions});
  }
  auto owner = std::make_shared<const std::vector<T>>(std::move(block.values));
  const BasicMatrixView<const T> values(owner->data(), block.rows, block.cols);
  auto out = std::make_shared<DenseReals<T>>(values, std::move(owner), texts(json, "names"), std::move(groups));
  require_distinct(*out);
  return Points(std::move(out));
}

Json sparse_json(const SparseReals& x, const std::string& prefix, BlockWriter& blocks) {
  static_assert(sizeof(Index) == sizeof(std::int64_t));
  const SparseMatrix& m = x.values;
  blocks.add<std::int64_t>(prefix + ".offsets", {static_cast<Index>(m.offsets.size())},
                           [&m](Sink& sink) { sink.write(m.offsets.data(), m.offsets.size() * sizeof(Index)); });
  blocks.add(prefix + ".columns", m.columns);
  blocks.add(prefix + ".values", m.values);
  return {{"kind", "sparse"}, {"rows", m.rows}, {"columns", m.cols}, {"names", texts_json(x.names)}};
}

Points sparse_from(const Json& json, const std::string& prefix, const BlockReader& blocks) {
  SparseMatrix m;
  m.rows = whole(member(json, "rows"));
  m.cols = whole(member(json, "columns"));
  if (m.cols > std::numeric_limits<std::int32_t>::max()) fail(ErrorKind::file, "{} columns are too many", m.cols);
  const auto offsets = blocks.numbers<std::int64_t>(prefix + ".offsets");
  m.offsets.assign(offsets.begin(), offsets.end());
  // rows() adds 1 to the number of rows, and both come from the file.
  if (m.offsets.empty() || m.rows != static_cast<Index>(m.offsets.size()) - 1) {
    fail(ErrorKind::file, "{} offsets for {} sparse rows", m.offsets.size(), m.rows);
  }
  m.columns = blocks.numbers<std::int32_t>(prefix + ".columns");
  m.values = blocks.numbers<double>(prefix + ".values");
  const std::vector<std::string> names = texts(json, "names");
  const Points unnamed = rows(std::move(m));
  return names.empty() ? unnamed : named(unnamed, names);
}

Json strings_json(const Strings& x, const std::string& prefix, BlockWriter& blocks) {
  const auto& all = x.text;
  Index bytes = 0;
  for (const std::string& one : all) bytes += static_cast<Index>(one.size());
  blocks.add<std::int64_t>(prefix + ".ends", {static_cast<Index>(all.size())}, [&all](Sink& sink) {
    std::int64_t end = 0;
    for (const std::string& one : all) {
      end += static_cast<std::int64_t>(one.size());
      sink.write(&end, sizeof(end));
    }
  });
  blocks.add<char>(prefix + ".bytes", {bytes}, [&all](Sink& sink) {
    for (const std::string& one : all) sink.write(one.data(), one.size());
  });
  return {{"kind", "strings"}, {"name", text_json(x.name)}};
}

Points strings_from(const Json& json, const std::string& prefix, const BlockReader& blocks) {
  const auto ends = blocks.numbers<std::int64_t>(prefix + ".ends");
  const auto bytes = blocks.numbers<char>(prefix + ".bytes");
  const auto size = static_cast<std::int64_t>(bytes.size());
  std::vector<std::string> all;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    if (end < begin || end > size) fail(ErrorKind::file, "text {} ends at {} of {}", all.size() + 1, end, size);
    all.emplace_back(bytes.data() + begin, static_cast<std::size_t>(end - begin));
    begin = end;
  }
  if (begin != size) fail(ErrorKind::file, "its texts are {} bytes, {} are there", begin, size);
  return Points(std::make_shared<Strings>(std::move(all), text(member(json, "name"))));
}

std::string part_prefix(const std::string& prefix, std::size_t part) { return fmt::format("{}.{}", prefix, part + 1); }

Json table_json(const Table& x, const std::string& prefix, BlockWriter& blocks, int level) {
  if (level == kDeepestTable) {
    fail(ErrorKind::usage, "save: tables within tables more than {} levels deep; put their columns into one",
         kDeepestTable);
  }
  Json parts = Json::array();
  for (const auto& [name, part] : x.parts) {
    const std::string own = part_prefix(prefix, parts.size());
    parts.push_back({{"name", text_json(name)}, {"points", points_json(part, own, blocks, level + 1)}});
  }
  return {{"kind", "table"}, {"parts", std::move(parts)}};
}

Points table_from(const Json& json, const std::string& prefix, const BlockReader& blocks, int level) {
  if (level == kDeepestTable) fail(ErrorKind::file, "tables within tables more than {} levels deep", kDeepestTable);
  std::vector<std::pair<std::string, Points>> parts;
  for (const Json& part : list(json, "parts")) {
    const std::string own = part_prefix(prefix, parts.size());
    parts.emplace_back(text(member(part, "name")), points_from(member(part, "points"), own, blocks, level + 1));
  }
  auto out = std::make_shared<Table>(std::move(parts));
  require_distinct(*out);
  return Points(std::move(out));
}

}  // namespace

Json points_json(const Points& x, const std::string& prefix, BlockWriter& blocks, int level) {
  const Points::Rep& rep = x.rep();
  if (const auto* table = dynamic_cast<const Table*>(&rep)) return table_json(*table, prefix, blocks, level);
  if (const auto* text = dynamic_cast<const Strings*>(&rep)) return strings_json(*text, prefix, blocks);
  require_finite(x);
  if (const auto* d = dynamic_cast<const DenseReals<double>*>(&rep)) return dense_json(*d, prefix, blocks);
  if (const auto* f = dynamic_cast<const DenseReals<float>*>(&rep)) return dense_json(*f, prefix, blocks);
  if (const auto* s = dynamic_cast<const SparseReals*>(&rep)) return sparse_json(*s, prefix, blocks);
  fail(ErrorKind::usage, "save: inputs of the kind {} have no place in a model file", x.domain().str());
}

Points points_from(const Json& json, const std::string& prefix, const BlockReader& blocks, int level) {
  const std::string kind = text(member(json, "kind"));
  if (kind == "table") return table_from(json, prefix, blocks, level);
  if (kind == "strings") return strings_from(json, prefix, blocks);
  const auto reals = [&]() -> Points {
    if (kind == "sparse") return sparse_from(json, prefix, blocks);
    if (kind != "dense") fail(ErrorKind::file, "points of the unknown kind {}", shown(kind));
    const std::string type = text(member(json, "type"));
    if (type == "f64") return dense_from<double>(json, prefix, blocks);
    if (type == "f32") return dense_from<float>(json, prefix, blocks);
    fail(ErrorKind::file, "dense points of the type {}", shown(type));
  };
  const Points x = reals();
  const std::size_t names = x.column_names().size();
  if (names != 0 && names != at(x.domain().dimension)) {
    fail(ErrorKind::file, "{} names for {} columns", names, x.domain().dimension);
  }
  require_finite(x);
  return x;
}

}  // namespace mercer::detail
