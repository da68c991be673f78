#include "machine_options.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "usage.hpp"

namespace mercer::cli {

const Machine* take_machine(const std::string& verb, Words& words) {
  if (!words.empty() && words.front() == kDescribe) return nullptr;
  if (words.empty() || words.front().starts_with('-')) {
    const bool help =
        std::any_of(words.begin(), words.end(), [](const std::string& w) { return w == "-h" || w == "--help"; });
    if (help) return nullptr;
    fail(ErrorKind::usage, "{}: MACHINE comes first, as in mercer {} svc DATA; mercer machines lists them", verb, verb);
  }
  const Machine& found = machine(words.front());
  words.erase(words.begin());
  return &found;
}

namespace {

bool is_on_by_itself(const MachineOption& option) { return option.flag && option.fallback == "true"; }

}  // namespace

std::string option_word(const MachineOption& option) {
  std::string name = option.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return (is_on_by_itself(option) ? "--no-" : "--") + name;
}

std::string option_help(const MachineOption& option) {
  if (!is_on_by_itself(option)) return option.help;
  std::string does = option.help;
  does[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(does[0])));
  return "Do not " + does;
}

MachineOptions::MachineOptions(const Machine& machine, Arguments& arguments, std::span<const std::string> taken) {
  arguments.section("Options of " + machine.name);
  for (const MachineOption& option : machine.options) {
    const std::string word = option_word(option);
    if (std::find(taken.begin(), taken.end(), word) != taken.end()) continue;
    const bool on_by_itself = option.fallback == "true";
    Entry& entry = entries_.emplace_back(Entry{option.name, option.flag, on_by_itself ? "false" : "true"});
    if (option.flag) {
      arguments.flag(word, entry.given, option_help(option));
      continue;
    }
    arguments.option(word, entry.text, "X",
                     option.fallback.empty() ? option.help : fmt::format("{} [{}]", option.help, option.fallback));
  }
}

Settings MachineOptions::settings() const {
  Settings out;
  for (const Entry& entry : entries_) {
    if (entry.flag ? entry.given : !entry.text.empty()) out[entry.option] = entry.flag ? entry.on : entry.text;
  }
  return out;
}

std::size_t memory_size(const std::string& option, const std::string& text) {
  if (text.empty()) return 0;
  static const std::vector<std::pair<std::string, double>> units = {
      {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"KB", 1e3}, {"MB", 1e6},
      {"GB", 1e9},     {"TB", 1e12},    {"K", 1e3},      {"M", 1e6},      {"G", 1e9},  {"B", 1}};
  std::string number = text;
  double unit = 1;
  for (const auto& [name, size] : units) {
    if (!number.ends_with(name)) continue;
    number.resize(number.size() - name.size());
    unit = size;
    break;
  }
  const auto value = parse_number(trim(number));
  if (!value || !(*value * unit >= 1) || *value * unit > 1e18) {
    fail(ErrorKind::usage, "{}: {} is no amount of memory; write 4GB or 500MB", option, mercer::quoted(text));
  }
  return static_cast<std::size_t>(*value * unit);
}

}  // namespace mercer::cli
