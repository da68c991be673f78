#include "report/exhibit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/text.hpp"

namespace mercer::report {

namespace {

// Beyond so many, text is longer than base64.
constexpr std::size_t kMostPlain = 256;

std::string base64(std::span<const std::uint8_t> data) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((data.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < data.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, data.size() - i);
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j) word = word << 8 | (j < have ? data[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j) out += j <= have ? kDigits[word >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

Json plain(double value) {
  if (!std::isfinite(value)) return nullptr;
  return *parse_number(fmt::format("{:.7g}", value));
}

}  // namespace

Json to_json(const Exhibit& exhibit) {
  return {{"id", exhibit.id},
          {"kind", exhibit.kind},
          {"title", exhibit.title},
          {"finding", exhibit.finding},
          {"data", exhibit.data}};
}

Json numbers(VectorView values) {
  if (values.size() <= kMostPlain) {
    Json out = Json::array();
    for (const double value : values) out.push_back(plain(value));
    return out;
  }
  // Seven digits of years or of large sums would be too few: what they have in common is said apart.
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const bool far = least <= most && std::max(std::abs(least), std::abs(most)) > 100 * (most - least);
  const double offset = far ? least : 0;
  std::vector<std::uint8_t> packed;
  packed.reserve(4 * values.size());
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value - offset));
    for (int shift = 0; shift < 32; shift += 8) packed.push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  Json out = {{"f32", base64(packed)}};
  if (far) out["offset"] = offset;
  return out;
}

Json bytes(VectorView values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double least = values.empty() ? 0 : *low, most = values.empty() ? 0 : *high;
  const double scale = most > least ? 255 / (most - least) : 0;
  std::vector<std::uint8_t> packed;
  packed.reserve(values.size());
  for (const double value : values) packed.push_back(static_cast<std::uint8_t>(std::lround((value - least) * scale)));
  return {{"u8", base64(packed)}, {"min", least}, {"max", most}};
}

}  // namespace mercer::report
