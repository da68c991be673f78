#include <algorithm>

#include "base/fail.hpp"
#include "points/columns.hpp"
#include "points/rep.hpp"

namespace mercer {

int Strings::compare(Index i, Index j) const {
  return text[static_cast<std::size_t>(i)].compare(text[static_cast<std::size_t>(j)]);
}

Points Strings::select(std::span<const Index> which) const {
  std::vector<std::string> picked;
  picked.reserve(which.size());
  for (const Index i : which) picked.push_back(text[static_cast<std::size_t>(i)]);
  return Points(std::make_shared<Strings>(std::move(picked), name));
}

std::vector<std::string> Strings::column_names() const {
  return name.empty() ? std::vector<std::string>() : std::vector<std::string>{name};
}

Points Strings::columns(const Columns& which) const {
  if (name.empty()) return Rep::columns(which);
  positions_of(which, {{name, {0, 1}}}, 1);
  return Points(std::make_shared<Strings>(text, name));
}

Points strings(std::vector<std::string> text) { return Points(std::make_shared<Strings>(std::move(text))); }

namespace {

Index width(const Points& part) { return part.domain().kind == "reals" ? part.domain().dimension : 1; }

}  // namespace

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
      names.insert(names.end(), static_cast<std::size_t>(width(part)), name);
    }
  }
  return names;
}

namespace {

Index width_of(const Table& table) {
  Index count = 0;
  for (const auto& [name, part] : table.parts) count += width(part);
  return count;
}

// Parts by their names, and columns by their own.
std::vector<NamedColumns> known_columns(const Table& table) {
  std::vector<NamedColumns> known;
  Index count = 0;
  for (const auto& [name, part] : table.parts) {
    if (!name.empty()) known.push_back({name, {count, count + width(part)}});
    const std::vector<std::string> own = part.column_names();
    for (std::size_t j = 0; j < own.size(); ++j) {
      const Index at = count + static_cast<Index>(j);
      if (!own[j].empty()) known.push_back({own[j], {at, at + 1}});
    }
    count += width(part);
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
  while (at < positions.size()) {
    Index first = 0;
    auto part = parts.begin();
    while (positions[at] >= first + width(part->second)) first += width((part++)->second);
    std::vector<Columns::Item> inside;
    for (; at < positions.size() && positions[at] >= first && positions[at] < first + width(part->second); ++at) {
      inside.push_back({positions[at] - first + 1, positions[at] - first + 1});
    }
    bool whole = static_cast<Index>(inside.size()) == width(part->second);
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

Points Table::select(std::span<const Index> which) const {
  std::vector<std::pair<std::string, Points>> picked;
  for (const auto& [name, part] : parts) picked.emplace_back(name, part.select(which));
  return Points(std::make_shared<Table>(std::move(picked)));
}

namespace {

Points joined(std::vector<std::pair<std::string, Points>> parts) {
  const auto real = [](const auto& part) { return part.second.domain().kind == "reals"; };
  if (parts.size() == 1) {
    const auto& [name, part] = parts.front();
    if (const auto* text = dynamic_cast<const Strings*>(&part.rep())) {
      return Points(std::make_shared<Strings>(text->text, name.empty() ? text->name : name));
    }
  }
  auto whole = std::make_shared<Table>(std::move(parts));
  if (!std::all_of(whole->parts.begin(), whole->parts.end(), real)) return Points(whole);

  // All numbers: one dense matrix, so that kernels on reals take the table as it is.
  if (whole->parts.size() == 1 && whole->parts.front().first.empty()) return whole->parts.front().second;
  std::vector<std::string> names;
  std::vector<NamedColumns> groups;
  for (const auto& [name, part] : whole->parts) {
    const auto first = static_cast<Index>(names.size());
    std::vector<std::string> own = part.column_names();
    if (own.empty()) own.assign(static_cast<std::size_t>(width(part)), name);
    names.insert(names.end(), own.begin(), own.end());
    if (!name.empty()) groups.push_back({name, {first, first + width(part)}});
  }
  auto joined = std::make_shared<Matrix>(Matrix::uninitialized(whole->size(), static_cast<Index>(names.size())));
  Index first = 0;
  for (const auto& [name, part] : whole->parts) {
    const DenseRows block = dense_rows(part);
    for (Index i = 0; i < joined->rows(); ++i) std::copy_n(block.values.row(i), width(part), joined->row(i) + first);
    first += width(part);
  }
  return Points(std::make_shared<DenseReals<double>>(joined->view(), joined, std::move(names), std::move(groups)));
}

}  // namespace

Points table(std::vector<std::pair<std::string, Points>> parts) {
  require_distinct(Table(parts));
  return joined(std::move(parts));
}

}  // namespace mercer
