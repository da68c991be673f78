// mercer completion: what a shell needs to complete the words of the command. The scripts ask the command itself, so
// they know its verbs, options, machines, kernels, and the columns of the file that is named on the line.
#include <algorithm>
#include <filesystem>

#include "arguments.hpp"
#include "kernel/complete.hpp"
#include "mercer/io.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/model.hpp"
#include "output.hpp"
#include "usage.hpp"

namespace mercer::cli {

namespace {

struct Candidate {
  std::string text, help;
};
using Candidates = std::vector<Candidate>;

// The last word is the one to be completed; it is empty after a space.
Words split_line(std::string_view line) {
  Words out = {""};
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      c == quote ? void(quote = '\0') : out.back().push_back(c);
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '\\' && i + 1 < line.size()) {
      out.back().push_back(line[++i]);
    } else if (c != ' ' && c != '\t') {
      out.back().push_back(c);
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  return out;
}

// A tab key must answer at once: a file that takes longer to read keeps its columns to itself.
constexpr std::uintmax_t kQuickToRead = 20'000'000;

std::vector<std::string> columns_of(const Words& words) {
  for (const std::string& word : words) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(word, ignored) || std::filesystem::file_size(word, ignored) > kQuickToRead) {
      continue;
    }
    try {
      return Schema::of(read_data(word).points).columns;
    } catch (const Error&) {
      // Not a data file, or one with a fault that the verb itself will name.
    }
  }
  return {};
}

Candidates column_candidates(const Words& words) {
  Candidates out;
  for (const std::string& name : columns_of(words)) out.push_back({name, "column"});
  return out;
}

Candidates machine_candidates() {
  Candidates out;
  for (const Machine& machine : machines()) out.push_back({machine.name, machine.purpose});
  return out;
}

Candidates expression_candidates(const std::string& text, const Words& words) {
  const Completion found = complete(text, [&] { return columns_of(words); });
  Candidates out;
  for (const Completion::Word& word : found.words) out.push_back({text.substr(0, found.from) + word.text, word.help});
  return out;
}

const Usage::Option* option_named(const Usage& usage, const std::string& word) {
  for (const Usage::Option& option : usage.options) {
    if (std::find(option.names.begin(), option.names.end(), word) != option.names.end()) return &option;
  }
  return nullptr;
}

Candidates option_candidates(const Usage& usage) {
  Candidates out = {{"--help", "Show all options"}};
  for (const Usage::Option& option : usage.options) {
    if (!option.placed) out.push_back({option.names.back(), option.help});
  }
  return out;
}

// Of an argument or a value; none where a file is meant, which shells complete by themselves.
Candidates value_candidates(const Verb& verb, const std::string& what, const Words& words) {
  if (what == "EXPR" || what == "FROM") return expression_candidates(words.back(), words);
  if (what == "COL") return column_candidates(words);
  if (what == "SHELL") return {{"bash", ""}, {"zsh", ""}, {"fish", ""}};
  if (what == "NAME" && verb.name == "machines") return machine_candidates();
  Candidates out;
  if (what == "NAME" && verb.name == "kernels") {
    for (const CatalogRow& row : catalog()) out.push_back({row.name, row.formula});
  }
  if (what == "VERB") {
    for (const Verb& one : verbs()) out.push_back({one.name, lines_of(one.purpose)[0]});
  }
  return out;
}

Candidates candidates_for(const Words& line) {
  if (line.size() == 2) {
    Candidates out = {{"--help", "All verbs"}, {"--version", ""}};
    for (const Verb& verb : verbs()) out.push_back({verb.name, lines_of(verb.purpose)[0]});
    return out;
  }
  const Verb* const verb = verb_named(line[1]);
  if (verb == nullptr) return {};
  Words words(line.begin() + 2, line.end());
  const std::string& last = words.back();
  std::string machine;
  if (verb->machine_first) {
    if (words.size() == 1 && !last.starts_with('-')) return machine_candidates();
    const auto& all = machines();
    const bool known = std::any_of(all.begin(), all.end(), [&](const Machine& m) { return m.name == words[0]; });
    if (known) machine = words[0];
    words.erase(words.begin());
    if (words.empty()) words.push_back(last);
  }
  const Usage usage = usage_of(*verb, machine);
  if (words.size() > 1) {
    const Usage::Option* const before = option_named(usage, words[words.size() - 2]);
    if (before != nullptr && !before->value.empty()) return value_candidates(*verb, before->value, words);
  }
  if (words.back().starts_with('-')) return option_candidates(usage);
  // Which of the arguments with a place it is: those that are no options and no values of options come before it.
  std::size_t place = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const Usage::Option* const option = option_named(usage, words[i]);
    if (option != nullptr && !option->placed) {
      i += option->value.empty() ? 0 : 1;
    } else {
      ++place;
    }
  }
  for (const Usage::Option& option : usage.options) {
    if (option.placed && place-- == 0) return value_candidates(*verb, option.names[0], words);
  }
  return {};
}

// Bash completes from the last of these characters on, the others the whole word.
std::size_t kept_by(const std::string& shell, const std::string& word) {
  return shell == "bash" ? word.find_last_of("\"'><=;|&(:@") + 1 : 0;
}

void put_candidates(const std::string& shell, const std::string& line) {
  const Words words = split_line(line);
  if (words.size() < 2) return;
  const std::string& last = words.back();
  for (const Candidate& candidate : candidates_for(words)) {
    if (!candidate.text.starts_with(last)) continue;
    const std::string text = candidate.text.substr(kept_by(shell, last));
    put(shell == "bash" ? text + "\n" : fmt::format("{}\t{}\n", text, lines_of(candidate.help + "\n")[0]));
  }
}

constexpr std::string_view kBash = R"(# Put this into ~/.bashrc:  source <(mercer completion bash)
_mercer() {
  local IFS=$'\n'
  COMPREPLY=($(mercer completion bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
  [[ ${COMPREPLY[0]} == *'(' ]] && compopt -o nospace
}
complete -o default -F _mercer mercer
)";

constexpr std::string_view kZsh = R"(#compdef mercer
# Put this into ~/.zshrc, after compinit:  source <(mercer completion zsh)
_mercer() {
  local -a words_here texts
  local line
  while IFS=$'\t' read -r text help; do
    words_here+=("$text")
    texts+=("$text${help:+  -- $help}")
  done < <(mercer completion zsh "$LBUFFER" 2>/dev/null)
  if (( $#words_here )); then
    compadd -l -d texts -- "${words_here[@]}"
  else
    _files
  fi
}
compdef _mercer mercer
)";

constexpr std::string_view kFish = R"(# Put this into ~/.config/fish/config.fish:  mercer completion fish | source
complete -c mercer -a '(mercer completion fish (commandline -cp) 2>/dev/null)'
)";

}  // namespace

int run_completion(const Words& words) {
  std::string shell, line;
  Arguments arguments("completion",
                      "A script that lets a shell complete verbs, options, machines, kernels, and the columns of the "
                      "data file on the line. It asks `mercer completion SHELL LINE` for what can end LINE.",
                      "  source <(mercer completion bash)\n  source <(mercer completion zsh)\n"
                      "  mercer completion fish | source\n");
  arguments.required("SHELL", shell, "bash, zsh or fish");
  arguments.optional("LINE", line, "The line so far, up to the cursor: prints the words that can end it");
  if (!arguments.parse(words)) return 0;
  const std::vector<std::pair<std::string, std::string_view>> scripts = {
      {"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};
  const std::string_view script = choice<std::string_view>("SHELL", shell, scripts);
  line.empty() ? put(script) : put_candidates(shell, line);
  return 0;
}

}  // namespace mercer::cli
