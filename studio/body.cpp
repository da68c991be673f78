#include "studio/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "studio/errors.hpp"
#include "studio/limits.hpp"

namespace mercer::studio {

namespace {

constexpr int kBad = 400;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Failure(kBad, fmt::format("\"{}\" is not {}", name, what), name);
}

double finite(const Json& value, const std::string& name) {
  if (!value.is_number()) refuse(name, "made of numbers");
  const double out = value.get<double>();
  if (!std::isfinite(out)) refuse(name, "finite");
  return out;
}

}  // namespace

Body::Body(const std::string& text) {
  try {
    object_ = Json::parse(text, kMostDepth);
  } catch (const JsonError& error) {
    throw Failure(kBad,
                  error.why == JsonError::Why::depth ? fmt::format("the body is nested more than {} deep", kMostDepth)
                                                     : "the body is not JSON",
                  "body");
  }
  if (!object_.is_object()) throw Failure(kBad, "the body is not a JSON object", "body");
}

Body::Body(Json object) : object_(std::move(object)) {}

bool Body::has(const std::string& name) const {
  const Json* const found = object_.find(name);
  return found != nullptr && !found->is_null();
}

const Json& Body::at(const std::string& name, const char* what) const {
  if (!has(name)) throw Failure(kBad, fmt::format("\"{}\" is missing: {}", name, what), name);
  return *object_.find(name);
}

std::string Body::text(const std::string& name) const {
  const Json& value = at(name, "a text");
  if (!value.is_string()) refuse(name, "a text");
  return value.get<std::string>();
}

std::string Body::text(const std::string& name, const std::string& fallback) const {
  return has(name) ? text(name) : fallback;
}

double Body::number(const std::string& name, double fallback) const {
  return has(name) ? finite(*object_.find(name), name) : fallback;
}

Index Body::whole(const std::string& name, Index fallback, Index least, Index most) const {
  const double value = number(name, static_cast<double>(fallback));
  if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most)) {
    refuse(name, fmt::format("a whole number from {} to {}", least, most));
  }
  return static_cast<Index>(value);
}

bool Body::flag(const std::string& name, bool fallback) const {
  if (!has(name)) return fallback;
  if (!object_.find(name)->is_boolean()) refuse(name, "true or false");
  return object_.find(name)->get<bool>();
}

std::vector<std::string> Body::texts(const std::string& name) const {
  if (!has(name)) return {};
  const Json& list = *object_.find(name);
  if (!list.is_array()) refuse(name, "a list of texts");
  std::vector<std::string> out;
  for (const Json& one : list) {
    if (one.is_number()) {
      out.push_back(mercer::number(one.get<double>()));
    } else if (one.is_string()) {
      out.push_back(one.get<std::string>());
    } else {
      refuse(name, "a list of texts");
    }
  }
  return out;
}

Vector Body::numbers(const std::string& name) const {
  const Json& list = at(name, "a list of numbers");
  if (!list.is_array()) refuse(name, "a list of numbers");
  Vector out;
  for (const Json& one : list) out.push_back(finite(one, name));
  return out;
}

Matrix Body::rows(const std::string& name) const {
  const Json& list = at(name, "a list of rows of numbers");
  if (!list.is_array() || list.empty() || !list[0].is_array() || list[0].empty()) {
    refuse(name, "a list of rows of numbers");
  }
  const std::size_t columns = list[0].size();
  Matrix out(static_cast<Index>(list.size()), static_cast<Index>(columns));
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_array() || list[i].size() != columns) refuse(name, "a list of rows of equal length");
    for (std::size_t j = 0; j < columns; ++j) {
      out(static_cast<Index>(i), static_cast<Index>(j)) = finite(list[i][j], name);
    }
  }
  return out;
}

std::map<std::string, std::string> Body::settings(const std::string& name) const {
  std::map<std::string, std::string> out;
  if (!has(name)) return out;
  const Json& all = *object_.find(name);
  if (!all.is_object()) refuse(name, "an object of names and values");
  for (const auto& [key, value] : all.items()) {
    if (value.is_null()) continue;
    if (value.is_string()) {
      out[key] = value.get<std::string>();
    } else if (value.is_boolean()) {
      out[key] = value.get<bool>() ? "true" : "false";
    } else {
      out[key] = mercer::number(finite(value, name));
    }
  }
  return out;
}

std::map<std::string, double> Body::values(const std::string& name) const {
  std::map<std::string, double> out;
  if (!has(name)) return out;
  const Json& all = *object_.find(name);
  if (!all.is_object()) refuse(name, "an object of names and numbers");
  for (const auto& [key, value] : all.items()) out[key] = finite(value, name);
  return out;
}

Body Body::object(const std::string& name) const {
  const Json& value = at(name, "an object");
  if (!value.is_object()) refuse(name, "an object");
  return Body(value);
}

std::string Body::expression(const std::string& name) const {
  std::string out = text(name, "");
  if (out.size() > kMostExpression) {
    throw Failure(kBad, fmt::format("a kernel has at most {} characters, this one has {}", kMostExpression, out.size()),
                  name);
  }
  return out;
}

}  // namespace mercer::studio
