// Real vectors in a model file: dense rows, sparse rows.
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "file/blocks.hpp"
#include "file/fields.hpp"
#include "points/archive.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace detail {

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

Points checked(const Points& x) {
  const std::size_t names = x.column_names().size();
  if (names != 0 && names != at(x.domain().dimension)) {
    fail(ErrorKind::file, "{} names for {} columns", names, x.domain().dimension);
  }
  x.rep().require_finite();
  return x;
}

}  // namespace

Points load_dense(const Json& json, const std::string& prefix, const BlockReader& blocks, int) {
  const std::string type = text(member(json, "type"));
  if (type == "f64") return checked(dense_from<double>(json, prefix, blocks));
  if (type == "f32") return checked(dense_from<float>(json, prefix, blocks));
  fail(ErrorKind::file, "dense points of the type {}", shown(type));
}

Points load_sparse(const Json& json, const std::string& prefix, const BlockReader& blocks, int) {
  return checked(sparse_from(json, prefix, blocks));
}

}  // namespace detail

template <class T>
Json DenseReals<T>::save(const std::string& prefix, detail::BlockWriter& blocks, int) const {
  require_finite();
  return detail::dense_json(*this, prefix, blocks);
}
template Json DenseReals<double>::save(const std::string&, detail::BlockWriter&, int) const;
template Json DenseReals<float>::save(const std::string&, detail::BlockWriter&, int) const;

Json SparseReals::save(const std::string& prefix, detail::BlockWriter& blocks, int) const {
  require_finite();
  return detail::sparse_json(*this, prefix, blocks);
}

}  // namespace mercer
