#include "report/budget.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::report {

namespace {

// Names and labels in pictures; sentences; programs.
constexpr std::size_t kName = 120, kSentence = 1200, kCode = 40'000;

std::size_t most_of(const std::string& key) {
  if (key == "f32" || key == "u8") return std::string::npos;
  if (key == "command" || key == "cpp" || key == "python") return kCode;
  static const std::vector<std::string> sentences = {"finding",   "words",    "what",       "why",      "advice",
                                                     "statement", "because",  "conditions", "citation", "value",
                                                     "title",     "subtitle", "note",       "plane"};
  return std::find(sentences.begin(), sentences.end(), key) != sentences.end() ? kSentence : kName;
}

void cut_texts(Json& value, const std::string& key) {
  if (value.is_string()) {
    if (const std::size_t most = most_of(key); value.text().size() > most) value = cut(value.text(), most);
  } else if (value.is_object()) {
    for (auto& [name, part] : value.items()) cut_texts(part, name);
  } else if (value.is_array()) {
    for (Json& part : value) cut_texts(part, key);
  }
}

std::size_t size_of(const Json& value) { return value.dump().size(); }

}  // namespace

std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto starts = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80; };
  std::size_t head = most * 2 / 3, tail = text.size() - (most - head);
  while (head > 0 && !starts(head)) --head;
  while (tail < text.size() && !starts(tail)) ++tail;
  return text.substr(0, head) + "…" + text.substr(tail);
}

Json within(Json document, std::size_t most) {
  cut_texts(document, "");
  struct Picture {
    std::size_t size;
    Json* exhibit;
  };
  std::vector<Picture> pictures;
  for (Json& section : document["sections"]) {
    for (Json& exhibit : section["exhibits"]) pictures.push_back({size_of(exhibit), &exhibit});
  }
  std::stable_sort(pictures.begin(), pictures.end(), [](const auto& a, const auto& b) { return a.size > b.size; });
  std::size_t total = size_of(document);
  for (const auto& [size, exhibit] : pictures) {
    if (total <= most) break;
    Json& one = *exhibit;
    one["kind"] = "facts";
    one["finding"] =
        fmt::format("{} This picture is left out: with its {:.1f} MB the report would be too long to open.",
                    one["finding"].get<std::string>(), static_cast<double>(size) / 1e6);
    one["data"] = {{"rows", Json::array()}};
    total = total - size + size_of(one);
  }
  return document;
}

}  // namespace mercer::report
