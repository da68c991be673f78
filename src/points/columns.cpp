#include "points/columns.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer {

namespace {

Columns::Name parse_name(std::string_view text) {
  text = trim(text);
  if (text.empty()) fail(ErrorKind::grammar, "columns: an empty name; write a name, a number or a range such as x1:x5");
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    return std::string(text.substr(1, text.size() - 2));
  const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return std::string(text);
  const auto value = parse_number(text);
  if (!value || *value < 1 || *value > 1e9) {
    fail(ErrorKind::grammar, "columns: there is no column {}; columns are counted from 1", text);
  }
  return static_cast<Index>(*value);
}

// Cuts the text at a separator that is not inside quotes.
std::vector<std::string_view> cut(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  bool inside = false;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') inside = !inside;
    if (inside || text[at] != separator) continue;
    pieces.push_back(text.substr(start, at - start));
    start = at + 1;
  }
  pieces.push_back(text.substr(start));
  return pieces;
}

std::vector<Columns::Item> parse_items(std::string_view text) {
  std::vector<Columns::Item> items;
  for (const std::string_view piece : cut(text, ',')) {
    const std::vector<std::string_view> ends = cut(piece, ':');
    if (ends.size() > 2) fail(ErrorKind::grammar, "columns: \"{}\" has two colons; a range is first:last", piece);
    items.push_back({parse_name(ends.front()), parse_name(ends.back())});
  }
  return items;
}

std::string print_name(const Columns::Name& name) {
  if (const Index* number = std::get_if<Index>(&name)) return fmt::format("{}", *number);
  const std::string& text = std::get<std::string>(name);
  return is_identifier(text) ? text : quoted(text);
}

}  // namespace

Columns::Columns(const char* text) : items_(parse_items(text)) {}
Columns::Columns(const std::string& text) : items_(parse_items(text)) {}
Columns::Columns(int number) : items_(parse_items(fmt::format("{}", number))) {}
Columns::Columns(std::initializer_list<std::string> names) {
  for (const std::string& name : names) items_.push_back({name, name});
}
Columns::Columns(std::vector<Item> items) : items_(std::move(items)) {}

std::string Columns::str() const {
  std::vector<std::string> pieces;
  for (const Item& item : items_) {
    pieces.push_back(item.first == item.last ? print_name(item.first)
                                             : print_name(item.first) + ":" + print_name(item.last));
  }
  if (pieces.size() == 1) return pieces.front();
  return fmt::format("[{}]", fmt::join(pieces, ", "));
}

void require_distinct(std::vector<NamedColumns> known) {
  // Equal names side by side, a part before its columns.
  std::stable_sort(known.begin(), known.end(), [](const NamedColumns& a, const NamedColumns& b) {
    return a.name != b.name ? a.name < b.name : a.positions.size() > b.positions.size();
  });
  for (std::size_t i = 0, part = 0; i < known.size(); ++i) {
    if (known[i].name != known[part].name) part = i;
    const Range whole = known[part].positions, own = known[i].positions;
    if (own.begin < whole.begin || own.end > whole.end) {
      fail(ErrorKind::domain, "two columns are called {}; give each a name of its own", quoted(known[i].name));
    }
  }
}

std::vector<Index> positions_of(const Columns& which, const std::vector<NamedColumns>& known, Index count) {
  if (which.items().empty()) fail(ErrorKind::domain, "on(): no columns are named; name at least one");
  std::unordered_map<std::string_view, Range> by_name;  // filled when a name is looked up
  const auto locate = [&](const Columns::Name& name) -> Range {
    if (const Index* number = std::get_if<Index>(&name)) {
      if (*number < 1 || *number > count) {
        fail(ErrorKind::domain, "on({}): the data have {} columns, counted from 1", which.str(), count);
      }
      return {*number - 1, *number};
    }
    const std::string& text = std::get<std::string>(name);
    if (by_name.empty()) {
      for (const NamedColumns& column : known) by_name.emplace(column.name, column.positions);
    }
    if (const auto found = by_name.find(text); found != by_name.end()) return found->second;
    std::vector<std::string> names;
    for (const NamedColumns& column : known) names.push_back(column.name);
    if (names.empty()) {
      fail(ErrorKind::domain, "on({}): the data have no column names; use numbers, 1 to {}", which.str(), count);
    }
    std::string hint = did_you_mean(text, names);
    if (hint.empty() && names.size() <= 12) hint = fmt::format("; its columns are {}", fmt::join(names, ", "));
    fail(ErrorKind::domain, "on({}): no column \"{}\" in the data{}", which.str(), text, hint);
  };
  std::vector<Index> positions;
  for (const Columns::Item& item : which.items()) {
    const Range first = locate(item.first), last = locate(item.last);
    if (last.end <= first.begin) {
      fail(ErrorKind::domain, "on({}): the range runs backwards; write its earlier column first", which.str());
    }
    for (Index j = first.begin; j < last.end; ++j) positions.push_back(j);
  }
  std::vector<Index> sorted = positions;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    fail(ErrorKind::domain, "on({}): a column is named twice; name each column once", which.str());
  }
  return positions;
}

}  // namespace mercer
