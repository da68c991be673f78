#include "mauna_loa.hpp"

#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "chart.hpp"
#include "output.hpp"

namespace mercer::cli {

namespace {

constexpr const char* kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                   "July",    "August",   "September", "October", "November", "December"};

int month_number(double year) { return std::clamp(static_cast<int>(12 * (year - std::floor(year))), 0, 11); }

Vector yearly_means(const Record& record) {
  Vector out;
  for (std::size_t i = 0; i < record.year.size();) {
    const double year = std::floor(record.year[i]);
    double total = 0, count = 0;
    for (; i < record.year.size() && std::floor(record.year[i]) == year; ++i, ++count) total += record.co2[i];
    out.push_back(total / count);
  }
  return out;
}

}  // namespace

std::string data_text(const Record& r) {
  const auto [low, high] = std::minmax_element(r.co2.begin(), r.co2.end());
  const auto peak = std::max_element(r.season.begin(), r.season.end());
  const auto trough = std::min_element(r.season.begin(), r.season.end());
  return fmt::format(
      "CO2 in air at Mauna Loa, Hawaii (Scripps CO2 Program):\n"
      "  {} months, {} to {}, {} to {} ppm\n"
      "  by year   {}\n"
      "  by month  {}  {:+.1f} ppm in {}, {:+.1f} in {}\n",
      r.co2.size(), r.first, r.last, number(*low), number(*high), sparkline(yearly_means(r)), sparkline(r.season),
      *peak, kMonths[peak - r.season.begin()], *trough, kMonths[trough - r.season.begin()]);
}

std::string month_of(double year) { return fmt::format("{:.0f}-{:02}", std::floor(year), month_number(year) + 1); }

std::string month_name(double year) { return kMonths[month_number(year)]; }

Points years(const Vector& values) {
  return named(rows(Matrix(MatrixView(values.data(), static_cast<Index>(values.size()), 1))), {"year"});
}

}  // namespace mercer::cli
