// The arguments of one verb: CLI11, with Mercer's words for errors, and with expressions that may begin with a minus.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "verbs.hpp"

namespace mercer::cli {

// Where the values go must outlive parse().
class Arguments {
 public:
  // `examples` ends the help text.
  Arguments(std::string verb, const std::string& purpose, const std::string& examples);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void required(const std::string& name, std::string& value, const std::string& help);
  void optional(const std::string& name, std::string& value, const std::string& help);
  // `name` is "--with" or "-o,--output"; `what` stands for the value in the help. Underscores are as good as hyphens:
  // --max_iterations is --max-iterations.
  void option(const std::string& name, std::string& value, const std::string& what, const std::string& help);
  void flag(const std::string& name, bool& value, const std::string& help);
  // The value declared last names a file to be written: parse() refuses what require_output refuses.
  void is_output();
  // The same, or a folder, about which the verb decides; see names_folder.
  void is_output_or_folder();
  // The options from here on stand under this title in the help.
  void section(const std::string& title);

  // False when help was asked for, and printed. Throws Error(usage).
  bool parse(const Words& words);

  // Refuses, before any work, a path that cannot be written, and one of a file that another argument names, whatever it
  // is called there: writing would destroy it. "-" is standard output.
  void require_output(const std::string& path) const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

// The text of an option as a whole number in [least, greatest]; `fallback` when it is empty.
long long whole_number(const std::string& option, const std::string& text, long long fallback, long long least,
                       long long greatest = std::numeric_limits<long long>::max());

// The value that goes with the option's text, which must be one of the names.
template <class T>
T choice(const std::string& option, const std::string& text, std::span<const std::pair<std::string, T>> choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names.push_back(name);
  }
  fail(ErrorKind::usage, "{}: {} is none of {}{}", option, mercer::quoted(text), fmt::join(names, ", "),
       did_you_mean(text, names));
}

}  // namespace mercer::cli
