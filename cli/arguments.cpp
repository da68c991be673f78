#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "output.hpp"

namespace mercer::cli {

namespace {

// Put before a word that is an expression although it begins with a minus, so that CLI11 does not take it for an
// option; no key types it.
constexpr char kMark = '\x01';

std::string unmarked(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), kMark), text.end());
  return text;
}

}  // namespace

struct Arguments::Parser {
  CLI::App app;
  std::string verb;
  std::string short_options = "h";
  std::vector<std::string> option_names = {"--help"};
  std::vector<std::string*> values;

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

  [[noreturn]] void refuse_extra(const std::string& word) const {
    if (word.starts_with('-')) {
      const std::string name = word.substr(0, word.find('='));
      fail(ErrorKind::usage, "{} has no option {}{}", verb, name, did_you_mean(name, option_names));
    }
    fail(ErrorKind::usage, "{} does not know what to do with {}; see mercer {} --help", verb, mercer::quoted(word),
         verb);
  }
};

Arguments::Arguments(std::string verb, std::string purpose, std::string examples)
    : parser_(std::make_unique<Parser>()) {
  CLI::App& app = parser_->app;
  app.name("mercer " + verb);
  app.description(std::move(purpose));
  app.footer("\nExamples:\n" + std::move(examples));
  app.set_help_flag("-h,--help", "Show this text");
  app.get_formatter()->column_width(24);
  app.get_formatter()->label("Positionals", "Arguments");
  parser_->verb = std::move(verb);
}

Arguments::~Arguments() = default;

void Arguments::required(const std::string& name, std::string& value, const std::string& help) {
  parser_->app.add_option(name, value, help)->required()->type_name("");
  parser_->values.push_back(&value);
}

void Arguments::optional(const std::string& name, std::string& value, const std::string& help) {
  parser_->app.add_option(name, value, help)->type_name("");
  parser_->values.push_back(&value);
}

void Arguments::option(const std::string& name, std::string& value, const std::string& what, const std::string& help) {
  parser_->app.add_option(name, value, help)->type_name(what);
  parser_->values.push_back(&value);
  parser_->remember(name);
}

void Arguments::flag(const std::string& name, bool& value, const std::string& help) {
  parser_->app.add_flag(name, value, help);
  parser_->remember(name);
}

bool Arguments::parse(const Words& words) {
  Words reversed(words.rbegin(), words.rend());  // as CLI11 wants them
  bool only_positionals = false;
  for (auto word = reversed.rbegin(); word != reversed.rend(); ++word) {
    only_positionals = only_positionals || *word == "--";
    if (!only_positionals && parser_->is_expression(*word)) word->insert(word->begin(), kMark);
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
    std::string text = unmarked(error.what());
    std::replace(text.begin(), text.end(), '\n', ' ');
    fail(ErrorKind::usage, "{}: {}; see mercer {} --help", parser_->verb, text, parser_->verb);
  }
  for (std::string* value : parser_->values) *value = unmarked(*value);
  return true;
}

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
