#include "report/cities.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/text.hpp"
#include "io/embedded_data.hpp"

namespace mercer::report {

namespace {

// "LosAngeles" as people write it.
std::string spaced(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == '.') {
      out += ' ';
      continue;
    }
    const bool begins = c >= 'A' && c <= 'Z' && !out.empty() && out.back() >= 'a' && out.back() <= 'z';
    out += begins ? std::string(" ") + c : std::string(1, c);
  }
  return out;
}

}  // namespace

Index Cities::find(std::string_view name) const { return std::find(names.begin(), names.end(), name) - names.begin(); }

Cities ten_cities() {
  std::vector<std::string> lines = split(std::string(data::us_cities()), '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  Cities out;
  const auto n = static_cast<Index>(lines.size()) - 1;
  out.distances = Matrix(n, n);
  for (Index i = 0; i < n; ++i) {
    const std::vector<std::string> fields = split(lines[at(i) + 1], ',');
    out.names.push_back(spaced(fields[0]));
    for (Index j = 0; j < n; ++j) out.distances(i, j) = parse_number(fields[at(j) + 1]).value();
  }
  return out;
}

Matrix as_on_a_map(Matrix y, const Cities& cities) {
  const Index west = cities.find("Los Angeles"), east = cities.find("New York"), north = cities.find("Seattle");
  const double across = y(west, 0) < y(east, 0) ? 1 : -1, up = y(north, 1) > y(west, 1) ? 1 : -1;
  for (Index i = 0; i < y.rows(); ++i) {
    y(i, 0) *= across;
    y(i, 1) *= up;
  }
  return y;
}

}  // namespace mercer::report
