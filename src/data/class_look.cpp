#include "data/class_look.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "data/cells.hpp"

namespace mercer::data {

namespace {

// Ages, counts and marks are whole numbers too, so that of these fewer are taken for classes than of names.
constexpr std::size_t kMostNames = 30, kMostNumbers = 20, kLeastOften = 4;
constexpr std::size_t kFew = 10;  // so many are classes even if each is rare, or has a fraction

// Different values, counted until `enough` says that they are.
template <class Value, class Values, class Enough>
std::size_t count_different(const Values& values, Enough enough) {
  std::unordered_set<Value> seen;
  for (const auto& value : values) {
    if (seen.insert(Value(value)).second && enough(seen.size())) break;
  }
  return seen.size();
}

// How many different whole numbers there are, where these are no codes of classes; else 0.
std::size_t amounts(const Vector& numbers) {
  if (numbers.empty()) return 0;
  const std::size_t different = count_different<double>(numbers, [](std::size_t) { return false; });
  const bool many = different > kMostClasses || (different > kMostNumbers && different * kLeastOften > numbers.size());
  const auto [least, most] = std::ranges::minmax(numbers);
  const bool without_holes = most - least + 1 == static_cast<double>(different);
  return many && !without_holes ? different : 0;
}

// Numbers as people write them: $1,862.
std::optional<Vector> numbers_written(const Column& column) {
  if (column.words.empty()) return std::nullopt;
  const std::vector<std::string_view> texts(column.words.begin(), column.words.end());
  const std::optional<NumberStyle> style = number_style(texts);
  if (!style) return std::nullopt;
  Vector out;
  for (const std::string_view text : texts) out.push_back(*styled_number(text, *style));
  return out;
}

}  // namespace

ClassLook look_for_classes(const Column& column) {
  if (const std::optional<Vector> written = numbers_written(column)) return look_for_classes({column.name, *written});
  const std::size_t rows = column.size();
  const bool fractions = std::ranges::any_of(column.numbers, [](double value) { return value != std::floor(value); });
  if (fractions) {
    const auto many = [&](std::size_t different) { return different > kFew && different * different > rows; };
    const std::size_t different = count_different<double>(column.numbers, many);
    return {many(different) ? ClassLook::As::quantity : ClassLook::As::unclear, different, true};
  }
  if (const std::size_t different = amounts(column.numbers); different > 0) return {ClassLook::As::quantity, different};
  const auto rare = [&](std::size_t different) { return different > kFew && 2 * different > rows; };
  const bool names = !column.words.empty();
  const std::size_t different =
      names ? count_different<std::string_view>(column.words, rare) : count_different<double>(column.numbers, rare);
  if (rare(different)) return {ClassLook::As::rare, different};
  const bool few = different >= 2 && different <= (names ? kMostNames : kMostNumbers);
  return {few && different * kLeastOften <= rows ? ClassLook::As::classes : ClassLook::As::unclear, different};
}

}  // namespace mercer::data
