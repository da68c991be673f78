#include "mercer/grouping.hpp"

#include <cmath>
#include <unordered_map>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "domains/strings/strings.hpp"
#include "mercer/bags.hpp"
#include "points/rep.hpp"

namespace mercer {

RowGroups RowGroups::of(std::span<const std::string> values) {
  RowGroups out;
  std::unordered_map<std::string_view, std::size_t> number_of;
  std::vector<std::vector<Index>> rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [group, fresh] = number_of.try_emplace(values[i], rows.size());
    if (fresh) {
      rows.emplace_back();
      out.names.push_back(values[i]);
    }
    rows[group->second].push_back(static_cast<Index>(i));
  }
  for (const std::vector<Index>& group : rows) {
    out.order.insert(out.order.end(), group.begin(), group.end());
    out.offsets.push_back(static_cast<Index>(out.order.size()));
  }
  return out;
}

Points RowGroups::points(const Points& rows, Grouping grouping) const {
  const Points ordered = rows.select(order);
  return grouping == Grouping::bags ? bags(ordered, offsets) : series(ordered, offsets);
}

std::vector<Index> RowGroups::single(std::span<const std::string> values, const std::string& what) const {
  std::vector<Index> out;
  for (std::size_t g = 0; g < names.size(); ++g) {
    const Index first = order[at(offsets[g])];
    for (Index k = offsets[g] + 1; k < offsets[g + 1]; ++k) {
      const Index row = order[at(k)];
      if (values[at(row)] == values[at(first)]) continue;
      fail(ErrorKind::data, "group {}: {} is {} in row {} and {} in row {}; one group has one",
           mercer::quoted(names[g]), what, mercer::quoted(values[at(first)]), first + 1,
           mercer::quoted(values[at(row)]), row + 1);
    }
    out.push_back(first);
  }
  return out;
}

namespace {

// Which column of points it is, from 0.
Index position_of(const Points& x, const std::string& column) {
  const std::vector<std::string> names = x.column_names();
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (names[j] == column) return static_cast<Index>(j);
  }
  const Index count = names.empty() ? x.rep().width() : static_cast<Index>(names.size());
  const auto number = parse_number(column);
  if (!number || *number < 1 || *number > static_cast<double>(count) || *number != std::trunc(*number)) {
    fail(ErrorKind::data, "no column is called {}{}", mercer::quoted(column), did_you_mean(column, names));
  }
  return static_cast<Index>(*number) - 1;
}

Points columns_at(const Points& x, const std::vector<Index>& positions) {
  std::vector<Columns::Item> items;
  for (const Index position : positions) items.push_back({position + 1, position + 1});
  return x.columns(Columns(std::move(items)));
}

std::vector<std::string> texts_of(const Points& column) {
  std::vector<std::string> out;
  if (const ObjectsOf<Strings> words = find_objects<Strings>(column)) {
    for (Index i = 0; i < column.size(); ++i) out.push_back(words[i]);
    return out;
  }
  const DenseRows numbers = dense_rows(column);
  for (Index i = 0; i < column.size(); ++i) out.push_back(number(numbers.values(i, 0)));
  return out;
}

}  // namespace

Dataset grouped(const Dataset& data, const std::string& column, Grouping grouping) {
  const Index position = position_of(data.points, column);
  const std::vector<std::string> names = data.points.column_names();
  const Index count = names.empty() ? data.points.rep().width() : static_cast<Index>(names.size());
  std::vector<Index> others;
  for (Index j = 0; j < count; ++j) {
    if (j != position) others.push_back(j);
  }
  if (others.empty()) fail(ErrorKind::data, "the only column tells the groups apart; none is left for their elements");
  const RowGroups groups = RowGroups::of(texts_of(columns_at(data.points, {position})));
  Dataset out{groups.points(columns_at(data.points, others), grouping)};
  out.target_name = data.target_name;
  out.counted = data.counted;
  if (data.target_name.empty()) return out;
  for (const Index row : groups.single(data.target(), fmt::format("the target {}", mercer::quoted(data.target_name)))) {
    if (!data.target_numbers.empty()) out.target_numbers.push_back(data.target_numbers[at(row)]);
    if (!data.target_texts.empty()) out.target_texts.push_back(data.target_texts[at(row)]);
  }
  return out;
}

}  // namespace mercer
