#include <algorithm>

#include "base/fail.hpp"
#include "points/columns.hpp"
#include "points/rep.hpp"

namespace mercer {

Table::Table(std::vector<std::pair<std::string, Points>> parts_) : parts(std::move(parts_)) {
  if (parts.empty()) fail(ErrorKind::shape, "table: needs at least one column");
  for (const auto& [name, part] : parts) {
    if (part.size() != size()) {
      fail(ErrorKind::shape, "table: column \"{}\" has {} entries, column \"{}\" has {}; give all the same length",
           name, part.size(), parts.front().first, size());
    }
  }
}

std::vector<std::string> Table::column_names() const {
  std::vector<std::string> names;
  for (const auto& [name, part] : parts) {
    const std::vector<std::string> own = part.column_names();
    if (!own.empty()) {
      names.insert(names.end(), own.begin(), own.end());
    } else {
      names.insert(names.end(), static_cast<std::size_t>(part.rep().width()), name);
    }
  }
  return names;
}

namespace {

Index width_of(const Table& table) {
  Index count = 0;
  for (const auto& [name, part] : table.parts) count += part.rep().width();
  return count;
}

// Parts by their names, columns of numbers by those they have in common, and columns by their own.
std::vector<NamedColumns> known_columns(const Table& table) {
  std::vector<NamedColumns> known;
  Index count = 0;
  for (const auto& [name, part] : table.parts) {
    if (!name.empty()) known.push_back({name, {count, count + part.rep().width()}});
    if (const Reals* const numbers = find_reals(part)) {
      for (const NamedColumns& group : numbers->groups) {
        known.push_back({group.name, {count + group.positions.begin, count + group.positions.end}});
      }
    }
    const std::vector<std::string> own = part.column_names();
    for (std::size_t j = 0; j < own.size(); ++j) {
      const Index at = count + static_cast<Index>(j);
      if (!own[j].empty()) known.push_back({own[j], {at, at + 1}});
    }
    count += part.rep().width();
  }
  return known;
}

Points joined(std::vector<std::pair<std::string, Points>> parts);

}  // namespace

void require_distinct(const Table& table) { require_distinct(known_columns(table)); }

Points Table::columns(const Columns& which) const {
  const std::vector<Index> positions = positions_of(which, known_columns(*this), width_of(*this));

  // The selection, part by part: a run of columns of one part stays a view of that part.
  std::vector<std::pair<std::string, Points>> picked;
  std::size_t at = 0;
  Index first = 0;
  auto part = parts.begin();
  while (at < positions.size()) {
    if (positions[at] < first) {
      first = 0;
      part = parts.begin();
    }
    while (positions[at] >= first + part->second.rep().width()) first += (part++)->second.rep().width();
    std::vector<Columns::Item> inside;
    for (; at < positions.size() && positions[at] >= first && positions[at] < first + part->second.rep().width();
         ++at) {
      inside.push_back({positions[at] - first + 1, positions[at] - first + 1});
    }
    bool whole = static_cast<Index>(inside.size()) == part->second.rep().width();
    for (std::size_t c = 0; c < inside.size(); ++c)
      whole = whole && std::get<Index>(inside[c].first) == static_cast<Index>(c) + 1;
    picked.emplace_back(part->first, whole ? part->second : part->second.columns(Columns(std::move(inside))));
  }
  return picked.size() == 1 ? picked.front().second : joined(std::move(picked));
}

int Table::compare(Index i, Index j) const {
  for (const auto& [name, part] : parts) {
    if (const int order = part.rep().compare(i, j); order != 0) return order;
  }
  return 0;
}

// The first column without numbers, under the name it has here.
std::string Table::describe() const {
  for (const auto& [name, part] : parts) {
    if (part.domain().kind == "reals") continue;
    return (name.empty() || find_table(part) != nullptr ? part : part.rep().called(name)).rep().describe();
  }
  return Rep::describe();
}

void Table::require_finite() const {
  for (const auto& [name, part] : parts) part.rep().require_finite();
}

const Table* find_table(const Points& x) { return dynamic_cast<const Table*>(&x.rep()); }

Points Table::select(std::span<const Index> which) const {
  std::vector<std::pair<std::string, Points>> picked;
  for (const auto& [name, part] : parts) picked.emplace_back(name, part.select(which));
  return Points(std::make_shared<Table>(std::move(picked)));
}

namespace {

Points joined(std::vector<std::pair<std::string, Points>> parts) {
  const auto real = [](const auto& part) { return part.second.domain().kind == "reals"; };
  if (parts.size() == 1 && !real(parts.front()) && find_table(parts.front().second) == nullptr)
    return parts.front().second.rep().called(parts.front().first);
  auto whole = std::make_shared<Table>(std::move(parts));
  if (!std::all_of(whole->parts.begin(), whole->parts.end(), real)) return Points(whole);

  // All numbers: one dense matrix, so that kernels on reals take the table as it is.
  if (whole->parts.size() == 1 && whole->parts.front().first.empty()) return whole->parts.front().second;
  std::vector<std::string> names;
  std::vector<NamedColumns> groups;
  for (const auto& [name, part] : whole->parts) {
    const auto first = static_cast<Index>(names.size());
    std::vector<std::string> own = part.column_names();
    if (own.empty()) own.assign(static_cast<std::size_t>(part.rep().width()), name);
    names.insert(names.end(), own.begin(), own.end());
    if (!name.empty()) groups.push_back({name, {first, first + part.rep().width()}});
  }
  auto joined = std::make_shared<Matrix>(Matrix::uninitialized(whole->size(), static_cast<Index>(names.size())));
  Index first = 0;
  for (const auto& [name, part] : whole->parts) {
    const DenseRows block = dense_rows(part);
    for (Index i = 0; i < joined->rows(); ++i)
      std::copy_n(block.values.row(i), part.rep().width(), joined->row(i) + first);
    first += part.rep().width();
  }
  return Points(std::make_shared<DenseReals<double>>(joined->view(), joined, std::move(names), std::move(groups)));
}

}  // namespace

Points table(std::vector<std::pair<std::string, Points>> parts) {
  require_distinct(Table(parts));
  return joined(std::move(parts));
}

}  // namespace mercer
