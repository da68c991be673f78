// Reading the options of a machine from texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/machines.hpp"

namespace mercer::detail {

// Looks up options in settings, else in the machine's row. Errors are UsageErrors that name the option.
class SettingsReader {
 public:
  SettingsReader(const Machine& machine, const Settings& settings);  // throws on an unknown option

  std::string text(const std::string& name) const;
  double number(const std::string& name) const;             // finite or inf
  double positive(const std::string& name) const;           // > 0, inf allowed
  Index whole(const std::string& name, Index least) const;  // a whole number
  bool flag(const std::string& name) const;
  // One of the names; returns its position.
  std::size_t choice(const std::string& name, const std::vector<std::string>& names) const;

 private:
  const Machine& machine_;
  const Settings& settings_;
};

// An option that a model was fitted with, as text and as a number; empty and none where it does not say, as of models
// that were fitted without texts.
std::string setting_of(const Model& model, const std::string& name);
std::optional<double> number_of(const Model& model, const std::string& name);

// max-iterations as max_iterations: options are called so in rows, settings and files, whoever writes a hyphen.
std::string with_underscores(std::string_view name);

}  // namespace mercer::detail
