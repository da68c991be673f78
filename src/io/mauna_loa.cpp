#include "io/mauna_loa.hpp"

#include "base/text.hpp"
#include "io/embedded_data.hpp"

namespace mercer {

MaunaLoa mauna_loa() {
  MaunaLoa out;
  out.season.assign(12, 0.0);
  Vector counts(12, 0.0);
  const std::vector<std::string> lines = split(data::mauna_loa_co2(), '\n');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = split(lines[i], ',');
    if (fields.size() != 3) continue;
    const std::string month_text = fields[0].substr(0, 7);
    const std::size_t month = static_cast<std::size_t>(*parse_number(fields[0].substr(5, 2))) - 1;
    if (out.year.empty()) out.first = month_text;
    out.last = month_text;
    out.year.push_back(*parse_number(fields[0].substr(0, 4)) + (static_cast<double>(month) + 0.5) / 12);
    out.co2.push_back(*parse_number(fields[1]));
    out.season[month] += out.co2.back() - *parse_number(fields[2]);
    ++counts[month];
  }
  for (std::size_t m = 0; m < 12; ++m) out.season[m] /= counts[m];
  return out;
}

}  // namespace mercer
