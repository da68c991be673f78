// Class names from what a target column holds.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "mercer/model.hpp"

namespace mercer {

namespace {

std::optional<double> finite_number(const std::string& text) {
  const auto value = parse_number(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

Labels Labels::from(std::span<const std::string> names) {
  std::map<std::string, Index> number_of;
  for (const std::string& name : names) number_of.emplace(name, 0);
  Labels out;
  for (const auto& [name, number] : number_of) out.classes.push_back(name);
  const auto numeric = [](const std::string& name) { return finite_number(name).has_value(); };
  if (std::all_of(out.classes.begin(), out.classes.end(), numeric)) {
    // Stable: "1" and "1.0" are two names of one number and keep the order of their bytes.
    std::stable_sort(out.classes.begin(), out.classes.end(),
                     [](const std::string& a, const std::string& b) { return *finite_number(a) < *finite_number(b); });
  }
  for (std::size_t c = 0; c < out.classes.size(); ++c) number_of[out.classes[c]] = static_cast<Index>(c);
  out.of.reserve(names.size());
  for (const std::string& name : names) out.of.push_back(number_of[name]);
  return out;
}

Labels Labels::from(VectorView numbers) {
  std::vector<std::string> names;
  names.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) {
      fail(ErrorKind::data, "labels: row {} is {}; remove the row or give it a class", i + 1, numbers[i]);
    }
    names.push_back(number(numbers[i] == 0 ? 0.0 : numbers[i]));  // -0 is 0
  }
  return from(names);
}

}  // namespace mercer
