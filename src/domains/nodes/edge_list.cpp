// Edge lists: two nodes on a line, and perhaps a weight.
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "file/bytes.hpp"
#include "file/fields.hpp"
#include "mercer/nodes.hpp"

namespace mercer {

namespace {

struct Line {
  std::size_t number = 0;  // in the file, from 1
  int count = 0;
  std::string_view fields[3] = {};
};

bool is_separator(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }

// Fields between separators; a comma more than needed is a field that is missing.
Line split_line(std::string_view text, std::size_t number, const std::string& name) {
  Line line{.number = number};
  text = text.substr(0, text.find('#'));
  bool comma = true;  // a field may come
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_separator(text[at])) {
      if (text[at] == ',') {
        if (comma) fail(ErrorKind::data, "{}: line {}: nothing stands before a comma", name, number);
        comma = true;
      }
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_separator(text[end])) ++end;
    if (line.count == 3) {
      fail(ErrorKind::data, "{}: line {}: more than two nodes and a weight; a line is `from to` or `from to weight`",
           name, number);
    }
    line.fields[line.count++] = text.substr(at, end - at);
    comma = false;
    at = end;
  }
  return line;
}

// A whole number as one writes it: no sign, no 0 in front.
std::optional<Index> plain_number(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  return value;
}

std::optional<double> weight_of(std::string_view text) {
  double value = 0;
  const char* const end = take_number(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

class EdgeList {
 public:
  EdgeList(std::string_view text, const std::string& name) : name_(name) {
    require_text(text, name);
    std::size_t number = 0;
    bool first = true;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const Line line = split_line(text.substr(0, end), ++number, name);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.count == 0) continue;
      const bool numbered = plain_number(line.fields[0]) || plain_number(line.fields[1]);
      if (first && line.count == 3 && !numbered && !weight_of(line.fields[2])) {
        first = false;  // names of columns
        continue;
      }
      add(line, first);
      first = false;
    }
    drop_heading();
  }

  NamedGraph graph() && {
    if (tokens_.empty()) fail(ErrorKind::data, "{}: there is no edge in it", name_);
    std::vector<std::string> names = number_nodes();
    check_directions();
    GraphParts parts{.nodes = static_cast<Index>(tokens_.size())};
    for (const Entry& e : edges_) {
      if (e.from <= e.to || !e.mirrored) parts.edges.push_back({e.from, e.to, e.weight});
    }
    return {Graph(std::move(parts)), std::move(names)};
  }

 private:
  struct Entry {
    std::int32_t from, to;
    double weight;
    std::size_t line;
    bool mirrored = false;  // it is there the other way round, too
  };

  std::int32_t node(std::string_view token) {
    const auto next = static_cast<std::int32_t>(tokens_.size());
    if (tokens_.size() == at(std::numeric_limits<std::int32_t>::max())) {
      fail(ErrorKind::data, "{}: more than 2^31 nodes", name_);
    }
    const auto [found, fresh] = known_.try_emplace(token, next);
    if (fresh) tokens_.push_back(token);
    return found->second;
  }

  void add(const Line& line, bool first) {
    if (line.count == 1) {
      node(line.fields[0]);
      return;
    }
    double weight = 1;
    if (line.count == 3) {
      const auto given = weight_of(line.fields[2]);
      if (!given) {
        fail(ErrorKind::data, "{}: line {}: the weight {} is no number", name_, line.number, shown(line.fields[2]));
      }
      if (*given < 0) {
        fail(ErrorKind::data, "{}: line {}: the weight {} is below 0; kernels on nodes need weights >= 0", name_,
             line.number, *given);
      }
      weight = *given;
    }
    const std::int32_t from = node(line.fields[0]), to = node(line.fields[1]);
    if (first) heading_ = line.count == 2;
    edges_.push_back({from, to, weight, line.number});
  }

  // `source target` above numbers only are names of columns, not nodes.
  void drop_heading() {
    if (!heading_ || edges_.size() < 2 || edges_[0].from != 0 || edges_[0].to != 1) return;
    if (plain_number(tokens_[0]) || plain_number(tokens_[1])) return;
    for (std::size_t i = 2; i < tokens_.size(); ++i) {
      if (!plain_number(tokens_[i])) return;
    }
    for (std::size_t e = 1; e < edges_.size(); ++e) {
      if (edges_[e].from < 2 || edges_[e].to < 2) return;
    }
    tokens_.erase(tokens_.begin(), tokens_.begin() + 2);
    edges_.erase(edges_.begin());
    for (Entry& e : edges_) {
      e.from -= 2;
      e.to -= 2;
    }
  }

  // Whole numbers in their order. Returns the names; none where the nodes are called as they are numbered.
  std::vector<std::string> number_nodes() {
    std::vector<std::string> names(tokens_.begin(), tokens_.end());
    std::vector<std::pair<Index, std::int32_t>> numbers;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const auto number = plain_number(tokens_[i]);
      if (!number) return names;
      numbers.emplace_back(*number, static_cast<std::int32_t>(i));
    }
    std::sort(numbers.begin(), numbers.end());
    std::vector<std::int32_t> place(tokens_.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      place[at(numbers[i].second)] = static_cast<std::int32_t>(i);
      names[i] = std::string(tokens_[at(numbers[i].second)]);
    }
    for (Entry& e : edges_) {
      e.from = place[at(e.from)];
      e.to = place[at(e.to)];
    }
    const bool counted = numbers.back().first == static_cast<Index>(numbers.size()) - 1;
    if (counted) names.clear();
    return names;
  }

  // Each edge next to its other direction.
  void check_directions() {
    const auto ends = [](const Entry& e) { return std::minmax(e.from, e.to); };
    std::sort(edges_.begin(), edges_.end(), [&](const Entry& a, const Entry& b) {
      const auto x = ends(a), y = ends(b);
      return std::tie(x.first, x.second, a.from, a.line) < std::tie(y.first, y.second, b.from, b.line);
    });
    for (std::size_t e = 1; e < edges_.size(); ++e) {
      Entry &a = edges_[e - 1], &b = edges_[e];
      if (std::minmax(a.from, a.to) != std::minmax(b.from, b.to)) continue;
      if (a.from == b.from) {
        fail(ErrorKind::data, "{}: line {}: this edge is there already, on line {}; give each edge once", name_,
             std::max(a.line, b.line), std::min(a.line, b.line));
      }
      if (a.weight != b.weight) {
        fail(ErrorKind::data,
             "{}: lines {} and {} give the two directions of an edge the weights {} and {}; kernels on nodes need an "
             "undirected graph: give both one weight",
             name_, std::min(a.line, b.line), std::max(a.line, b.line), a.weight, b.weight);
      }
      a.mirrored = b.mirrored = true;
    }
  }

  const std::string& name_;
  std::unordered_map<std::string_view, std::int32_t> known_;
  std::vector<std::string_view> tokens_;  // by node, in the order of the file
  std::vector<Entry> edges_;
  bool heading_ = false;
};

}  // namespace

NamedGraph parse_edges(std::string_view text, const std::string& name) { return EdgeList(text, name).graph(); }

NamedGraph read_edges(const std::string& path) {
  const Bytes bytes = read_bytes(path);
  return parse_edges(bytes.text, display_name(path));
}

}  // namespace mercer
