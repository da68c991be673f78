// The JSON of a request, read with care: bounded depth, and fields that are missing or of another kind are told by
// name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "mercer/matrix.hpp"

namespace mercer::studio {

class Body {
 public:
  explicit Body(const std::string& text);  // throws Failure
  explicit Body(Json object);

  bool has(const std::string& name) const;  // there, and not null
  std::string text(const std::string& name) const;
  std::string text(const std::string& name, const std::string& fallback) const;
  double number(const std::string& name, double fallback) const;
  // A whole number within the bounds.
  Index whole(const std::string& name, Index fallback, Index least, Index most) const;
  bool flag(const std::string& name, bool fallback) const;
  std::vector<std::string> texts(const std::string& name) const;  // missing: none
  Vector numbers(const std::string& name) const;                  // finite ones
  Matrix rows(const std::string& name) const;                     // of equal length, of one at least
  // Values as texts, whatever they are: {"C": 10} is {"C": "10"}.
  std::map<std::string, std::string> settings(const std::string& name) const;
  std::map<std::string, double> values(const std::string& name) const;
  Body object(const std::string& name) const;

  // The kernel's text, which may not be longer than kMostExpression.
  std::string expression(const std::string& name) const;

 private:
  const Json& at(const std::string& name, const char* what) const;
  Json object_;
};

}  // namespace mercer::studio
