#include "kernel/complete.hpp"

#include <algorithm>
#include <cctype>

#include "mercer/kernels.hpp"

namespace mercer {

Completion complete(std::string_view text, const std::function<std::vector<std::string>()>& columns) {
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  Completion out{.from = text.size(), .words = {}};
  while (out.from > 0 && in_name(text[out.from - 1])) --out.from;
  const std::string_view begun = text.substr(out.from);
  const auto add = [&](std::string word, std::string help) {
    if (word.starts_with(begun)) out.words.push_back({std::move(word), std::move(help)});
  };
  if (text.substr(0, out.from).ends_with("on(")) {
    for (std::string& name : columns()) add(std::move(name), "column");
    return out;
  }
  for (const CatalogRow& row : catalog()) {
    const bool is_name = std::all_of(row.name.begin(), row.name.end(), in_name);
    if (is_name && row.signature.starts_with(row.name + "(")) add(row.name + "(", row.formula);
  }
  return out;
}

}  // namespace mercer
