#include "file/json_fields.hpp"

#include <cmath>
#include <limits>

#include "base/fail.hpp"
#include "file/fields.hpp"

namespace mercer::detail {

namespace {

[[noreturn]] void wrong(const Json& value, const char* expected) {
  std::string given = value.dump({.ascii = true});
  fail(ErrorKind::file, "its header has {} where {} belongs", shown(given), expected);
}

constexpr char kDigits[] = "0123456789abcdef";

std::string hex(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string from_hex(const Json& value) {
  const std::string_view digits = kDigits;
  const std::string& text = value.text();
  if (text.size() % 2 != 0) wrong(value, "an even number of hexadecimal digits");
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = digits.find(text[i]), low = digits.find(text[i + 1]);
    if (high == digits.npos || low == digits.npos) wrong(value, "a text of hexadecimal digits");
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump({.exact = true});
    return true;
  } catch (const JsonError&) {
    return false;
  }
}

}  // namespace

Json parse_json(std::string_view text, int deepest) {
  try {
    return Json::parse(text, deepest);
  } catch (const JsonError& error) {
    if (error.why == JsonError::Why::depth) {
      fail(ErrorKind::file, "its header is nested more than {} levels deep", deepest);
    }
    if (error.why == JsonError::Why::number) fail(ErrorKind::file, "its header has a number that no double holds");
    fail(ErrorKind::file, "its header is no JSON from byte {} of the line on", error.byte);
  }
}

const Json& member(const Json& object, const char* key) {
  if (!object.is_object()) wrong(object, "an object");
  const Json* const found = object.find(key);
  if (found == nullptr) fail(ErrorKind::file, "its header has no \"{}\"", key);
  return *found;
}

const Json& list(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_array()) wrong(value, "a list");
  return value;
}

bool flag(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_boolean()) wrong(value, "true or false");
  return value.boolean();
}

Index whole(const Json& value, Index least) {
  const std::optional<std::int64_t> found = value.whole();
  if (!found || *found < least) {
    wrong(value, least == 0 ? "a whole number that is not negative" : "a whole number in range");
  }
  return *found;
}

double real(const Json& value) {
  if (value.is_number()) return value.number();
  const double infinity = std::numeric_limits<double>::infinity();
  if (value == "inf") return infinity;
  if (value == "-inf") return -infinity;
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  wrong(value, "a number");
}

std::string text(const Json& value) {
  if (value.is_string()) return value.text();
  if (const Json* const digits = value.find("hex"); digits && value.size() == 1 && digits->is_string()) {
    return from_hex(*digits);
  }
  wrong(value, "a text");
}

std::vector<std::string> texts(const Json& object, const char* key) {
  std::vector<std::string> out;
  for (const Json& value : list(object, key)) out.push_back(text(value));
  return out;
}

Json real_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json text_json(const std::string& value) {
  if (is_utf8(value)) return value;
  return {{"hex", hex(value)}};
}

Json texts_json(const std::vector<std::string>& values) {
  Json out = Json::array();
  for (const std::string& value : values) out.push_back(text_json(value));
  return out;
}

}  // namespace mercer::detail
