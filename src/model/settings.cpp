#include "model/settings.hpp"

#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer::detail {

namespace {

const MachineOption* find_option(const Machine& machine, const std::string& name) {
  const auto found = std::find_if(machine.options.begin(), machine.options.end(),
                                  [&](const MachineOption& option) { return option.name == name; });
  return found == machine.options.end() ? nullptr : &*found;
}

}  // namespace

SettingsReader::SettingsReader(const Machine& machine, const Settings& settings)
    : machine_(machine), settings_(settings) {
  for (const auto& [name, value] : settings) {
    if (find_option(machine, name) != nullptr) continue;
    std::vector<std::string> known;
    for (const MachineOption& option : machine.options) known.push_back(option.name);
    fail(ErrorKind::usage, "{}: no option is called \"{}\"{}", machine.name, name,
         known.empty() ? "; it has none" : did_you_mean(name, known));
  }
}

std::string SettingsReader::text(const std::string& name) const {
  if (const auto given = settings_.find(name); given != settings_.end()) return given->second;
  const MachineOption* option = find_option(machine_, name);
  return option == nullptr ? "" : option->fallback;
}

double SettingsReader::number(const std::string& name) const {
  const std::string given = text(name);
  const auto value = parse_number(given);
  if (!value || std::isnan(*value)) {
    fail(ErrorKind::usage, "{}: {} must be a number, not \"{}\"", machine_.name, name, given);
  }
  return *value;
}

double SettingsReader::positive(const std::string& name) const {
  const double value = number(name);
  if (!(value > 0)) fail(ErrorKind::usage, "{}: {} must be above 0, not {}", machine_.name, name, value);
  return value;
}

Index SettingsReader::whole(const std::string& name, Index least) const {
  const double value = number(name);
  // Beyond 2^53 a double no longer tells whole numbers apart.
  if (value != std::floor(value) || value < static_cast<double>(least) || value > 0x1p53) {
    fail(ErrorKind::usage, "{}: {} must be a whole number, at least {}, not {}", machine_.name, name, least,
         text(name));
  }
  return static_cast<Index>(value);
}

bool SettingsReader::flag(const std::string& name) const {
  const std::string given = text(name);
  if (given != "true" && given != "false") {
    fail(ErrorKind::usage, "{}: {} is true or false, not \"{}\"", machine_.name, name, given);
  }
  return given == "true";
}

std::size_t SettingsReader::choice(const std::string& name, const std::vector<std::string>& names) const {
  const std::string given = text(name);
  const auto found = std::find(names.begin(), names.end(), given);
  if (found == names.end()) {
    fail(ErrorKind::usage, "{}: {} must be one of {}, not \"{}\"{}", machine_.name, name, fmt::join(names, ", "), given,
         did_you_mean(given, names));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::string setting_of(const Model& model, const std::string& name) {
  const auto found = model.parts().settings.find(name);
  return found == model.parts().settings.end() ? "" : found->second;
}

std::optional<double> number_of(const Model& model, const std::string& name) {
  return parse_number(setting_of(model, name));
}

std::string with_underscores(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

}  // namespace mercer::detail
