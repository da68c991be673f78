#include "file/json_fields.hpp"

#include <cmath>
#include <limits>

#include "base/fail.hpp"
#include "file/fields.hpp"

namespace mercer::detail {

namespace {

[[noreturn]] void wrong(const Json& value, const char* expected) {
  std::string given = value.dump(-1, ' ', true, Json::error_handler_t::replace);
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
  const auto& text = value.get_ref<const std::string&>();
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
    (void)Json(text).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

}  // namespace

Json parse_json(std::string_view text, int deepest) {
  try {
    return Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
      if (depth > deepest) fail(ErrorKind::file, "its header is nested more than {} levels deep", deepest);
      return true;
    });
  } catch (const Json::parse_error& error) {
    fail(ErrorKind::file, "its header is no JSON from byte {} of the line on", error.byte);
  } catch (const Json::exception&) {
    fail(ErrorKind::file, "its header has a number that no double holds");
  }
}

const Json& member(const Json& object, const char* key) {
  if (!object.is_object()) wrong(object, "an object");
  const auto found = object.find(key);
  if (found == object.end()) fail(ErrorKind::file, "its header has no \"{}\"", key);
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
  return value.get<bool>();
}

Index whole(const Json& value, Index least) {
  const bool fits = value.is_number_unsigned()
                        ? value.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<Index>::max()}
                        : value.is_number_integer();
  if (!fits || value.get<Index>() < least) {
    wrong(value, least == 0 ? "a whole number that is not negative" : "a whole number in range");
  }
  return value.get<Index>();
}

double real(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  if (value == "inf") return infinity;
  if (value == "-inf") return -infinity;
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  wrong(value, "a number");
}

std::string text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.size() == 1 && value.begin().key() == "hex" && value.front().is_string()) {
    return from_hex(value.front());
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
