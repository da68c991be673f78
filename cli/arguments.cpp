#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "file/file_set.hpp"
#include "output.hpp"
#include "usage.hpp"

namespace mercer::cli {

namespace {

// Put before a word that is an expression although it begins with a minus, so that CLI11 does not take it for an
// option; no key types it.
constexpr char kMark = '\x01';

// Columns of a terminal that help may fill, and where the explanations begin.
constexpr std::size_t kWidth = 100, kIndent = 24;

namespace fs = std::filesystem;

// The files of a pattern; none of what is another kind of word.
std::vector<std::string> files_of(const std::string& word) {
  try {
    return files_named(word).files;
  } catch (const Error&) {
    return {};
  }
}

// Whether writing `path` would replace what `word` of the command line names: that file, one of those that it lists, a
// file of that folder (a set of graphs is a folder of files NAME_*), or the one behind the = of COLUMN=FOLDER.
bool replaces(const fs::path& path, const std::string& word) {
  std::error_code none;
  for (const std::string& file : files_of(word)) {
    if (fs::equivalent(path, file, none)) return true;
  }
  for (const std::string& pair : split(word, ',')) {
    const std::string part = pair.substr(pair.find('=') + 1);
    if (fs::equivalent(path, part, none)) return true;
    if (!fs::is_directory(part, none)) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(part, none)) {
      const std::string set = fs::weakly_canonical(part, none).filename().string() + "_";
      if (file.path().filename().string().starts_with(set) && fs::equivalent(path, file, none)) return true;
    }
  }
  return false;
}

std::string unmarked(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), kMark), text.end());
  return text;
}

}  // namespace

struct Arguments::Parser {
  CLI::App app;
  std::string verb;
  Usage usage;
  std::string section = "Options";
  std::string short_options = "h";
  std::vector<std::string> option_names = {"--help"};
  struct Value {
    CLI::Option* option;
    std::string* text;
    bool is_output = false;
    bool may_be_folder = false;
  };
  std::vector<Value> values;

  CLI::Option* add(const std::string& names, std::string& value, const std::string& help) {
    CLI::Option* const option = app.add_option(names, value, wrapped(help, kWidth - kIndent));
    values.push_back({option, &value});
    return option->group(section);
  }

  void remember(const std::string& names) {
    for (const std::string& name : split(names, ',')) {
      option_names.push_back(name);
      if (name.size() == 2) short_options += name[1];
    }
  }

  // "-dot(x,y)", "-1" and "-x" are expressions; "-o", "-oK.npy" and the mistyped "-q" are options.
  bool is_expression(const std::string& word) const {
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') return false;
    if (word.size() > 2) return short_options.find(word[1]) == std::string::npos;
    return std::string_view("xye0123456789").find(word[1]) != std::string_view::npos;
  }

  // "--max_iterations=5" as it is declared, with hyphens.
  static void use_hyphens(std::string& word) {
    if (!word.starts_with("--")) return;
    std::replace(word.begin(), std::find(word.begin(), word.end(), '='), '_', '-');
  }

  void require_output(const std::string& path, const Value* self) const {
    if (path == "-") return;
    require_writable(path);
    for (const Value& other : values) {
      if (&other == self || other.option->count() == 0 || *other.text == "-") continue;
      std::error_code none;
      const bool written_twice =
          other.is_output && fs::weakly_canonical(path, none) == fs::weakly_canonical(*other.text, none);
      if (!written_twice && !replaces(path, *other.text)) continue;
      fail(ErrorKind::usage, "{}: the output {} is what {} names, and would replace it; give the output another name",
           verb, mercer::quoted(path), other.option->get_name());
    }
  }

  [[noreturn]] void refuse_extra(const std::string& word) const {
    if (word.starts_with('-')) {
      const std::string name = word.substr(0, word.find('='));
      fail(ErrorKind::usage, "{} has no option {}{}", verb, name, did_you_mean(name, option_names));
    }
    std::error_code none;
    fail(ErrorKind::usage, "{} does not know what to do with {}; {}see mercer {} --help", verb, mercer::quoted(word),
         fs::is_regular_file(word, none) ? "put quotes around a pattern of several files; " : "", verb);
  }
};

Arguments::Arguments(std::string verb, const std::string& purpose, const std::string& examples)
    : parser_(std::make_unique<Parser>()) {
  CLI::App& app = parser_->app;
  parser_->usage.purpose = purpose;
  parser_->usage.examples = examples;
  app.name("mercer " + verb);
  app.description(wrapped(purpose, kWidth));
  app.footer("Examples:\n" + examples.substr(0, examples.find_last_not_of('\n') + 1));
  app.set_help_flag("-h,--help", "Show this text");
  app.get_formatter()->column_width(kIndent);
  app.get_formatter()->label("Positionals", "Arguments");
  app.get_formatter()->label("REQUIRED", "");
  parser_->verb = std::move(verb);
}

Arguments::~Arguments() = default;

void Arguments::required(const std::string& name, std::string& value, const std::string& help) {
  parser_->add(name, value, help)->required()->type_name("");
  parser_->usage.options.push_back({{name}, "", help, parser_->section, true, true});
}

void Arguments::optional(const std::string& name, std::string& value, const std::string& help) {
  parser_->add(name, value, help)->type_name("");
  parser_->usage.options.push_back({{name}, "", help, parser_->section, true, false});
}

void Arguments::option(const std::string& name, std::string& value, const std::string& what, const std::string& help) {
  parser_->add(name, value, help)->type_name(what);
  parser_->remember(name);
  parser_->usage.options.push_back({split(name, ','), what, help, parser_->section});
}

void Arguments::is_output() { parser_->values.back().is_output = true; }

void Arguments::is_output_or_folder() {
  is_output();
  parser_->values.back().may_be_folder = true;
}

void Arguments::flag(const std::string& name, bool& value, const std::string& help) {
  parser_->app.add_flag(name, value, wrapped(help, kWidth - kIndent))->group(parser_->section);
  parser_->remember(name);
  parser_->usage.options.push_back({split(name, ','), "", help, parser_->section});
}

void Arguments::section(const std::string& title) { parser_->section = title; }

bool Arguments::parse(const Words& words) {
  if (!words.empty() && words.back() == kDescribe) throw Described{parser_->usage};
  Words reversed(words.rbegin(), words.rend());  // as CLI11 wants them
  bool only_positionals = false;
  for (auto word = reversed.rbegin(); word != reversed.rend(); ++word) {
    only_positionals = only_positionals || *word == "--";
    if (only_positionals) continue;
    Parser::use_hyphens(*word);
    if (parser_->is_expression(*word)) word->insert(word->begin(), kMark);
  }
  try {
    parser_->app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    put(parser_->app.help());
    return false;
  } catch (const CLI::ExtrasError&) {
    parser_->refuse_extra(unmarked(parser_->app.remaining().front()));
  } catch (const CLI::RequiredError& error) {
    // A mistyped option leaves its value as the argument that is there, so look for the cause first.
    for (const std::string& extra : parser_->app.remaining()) {
      if (extra != "--") parser_->refuse_extra(unmarked(extra));
    }
    fail(ErrorKind::usage, "{}: {}; see mercer {} --help", parser_->verb, error.what(), parser_->verb);
  } catch (const CLI::ParseError& error) {
    for (const Parser::Value& value : parser_->values) {
      if (value.option->count() > 1) {
        fail(ErrorKind::usage, "{}: {} is given twice; give it once", parser_->verb, value.option->get_name());
      }
    }
    std::string text = unmarked(error.what());
    if (text.ends_with(" missing")) {
      fail(ErrorKind::usage, "{}: {} needs a value; see mercer {} --help", parser_->verb,
           text.substr(0, text.find(':')), parser_->verb);
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    fail(ErrorKind::usage, "{}: {}; see mercer {} --help", parser_->verb, text, parser_->verb);
  }
  for (const Parser::Value& value : parser_->values) {
    *value.text = unmarked(*value.text);
    // What an unset variable of the shell leaves behind.
    if (value.option->count() > 0 && trim(*value.text).empty()) {
      fail(ErrorKind::usage, "{}: {} is an empty text", parser_->verb, value.option->get_name());
    }
  }
  for (const Parser::Value& value : parser_->values) {
    if (!value.is_output || value.option->count() == 0) continue;
    if (!value.may_be_folder || !names_folder(*value.text)) parser_->require_output(*value.text, &value);
  }
  return true;
}

void Arguments::require_output(const std::string& path) const { parser_->require_output(path, nullptr); }

long long whole_number(const std::string& option, const std::string& text, long long fallback, long long least,
                       long long greatest) {
  if (text.empty()) return fallback;
  long long value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last || value < least || value > greatest) {
    const std::string range = greatest == std::numeric_limits<long long>::max()
                                  ? fmt::format(">= {}", least)
                                  : fmt::format("from {} to {}", least, greatest);
    fail(ErrorKind::usage, "{}: {} is not a whole number {}", option, mercer::quoted(text), range);
  }
  return value;
}

}  // namespace mercer::cli
