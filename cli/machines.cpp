// mercer machines: the catalog of machines.
#include "mercer/machines.hpp"

#include "arguments.hpp"
#include "machine_options.hpp"
#include "mercer/choose.hpp"
#include "output.hpp"

namespace mercer::cli {

namespace {

std::string task_text(Task task) { return std::string(task->predicts); }

std::string law_text(Exception::Law law) {
  switch (law) {
    case Exception::Law::order: return "order";
    case Exception::Law::weights: return "weights";
    case Exception::Law::numbers: return "numbers";
  }
  return "";
}

// What users should know besides the options.
std::vector<std::string> remarks(const Machine& machine) {
  std::vector<std::string> out = {
      machine.iterative && machine.resumes ? "If interrupted, it returns the model so far, from which --resume goes on."
      : machine.iterative                  ? "If interrupted, it returns the model so far."
      : machine.resumes
          ? "If interrupted, a fit by steps returns the model so far, from which --resume goes on; others return "
            "no model."
          : "If interrupted, it returns no model."};
  if (machine.streams) {
    out.emplace_back(
        "--centres lets few points stand for all; then rows may be in files larger than memory (--stream).");
  } else if (machine.centres != OnCentres::refused) {
    out.emplace_back("--centres lets few points stand for all.");
  }
  for (const Exception& exception : machine.exceptions) {
    std::string when;
    for (const auto& [name, value] : exception.when) when += fmt::format(" with --{} {}", name, value);
    switch (exception.law) {
      case Exception::Law::order: out.push_back(fmt::format("The order of the points matters{}", when)); break;
      case Exception::Law::weights:
        out.push_back(fmt::format("A point of weight 2 does not count as two points{}", when));
        break;
      case Exception::Law::numbers:
        out.push_back(fmt::format("A matrix K of numbers is not as good as a kernel and points{}", when));
        break;
    }
    out.back() += ": " + exception.reason + ".";
  }
  return out;
}

// For as many points as laptops meet, by a kernel of vectors that has nothing special about it.
std::string cost_words(const Machine& machine) {
  const bool classes = machine.task->target == Task::Target::classes;
  const Extent extent{.points = 10'000,
                      .weighted = 10'000,
                      .outputs = classes ? 2 : 1,
                      .dimension = 10,
                      .stored = 10,
                      .memory = std::size_t{1} << 40};
  const Needs needs = machine.needs({}, extent);
  double bytes = needs.squares() * needs.matrices;
  for (const Room& room : needs.beside) bytes += room.bytes;
  return fmt::format("K {}, {}; {} for 10,000 points", mercer::name_of(needs.form), needs.solver, bytes_text(bytes));
}

std::string overview() {
  std::vector<std::vector<std::string>> rows = {{"MACHINE", "PREDICTS", "PURPOSE"}};
  for (const Machine& machine : machines()) rows.push_back({machine.name, task_text(machine.task), machine.purpose});
  return table(rows) + "\nmercer machines NAME tells the problem it solves and its options.\n";
}

std::string details(const Machine& machine) {
  std::vector<std::vector<std::string>> facts = {{"machine", machine.name},
                                                 {"purpose", machine.purpose},
                                                 {"predicts", task_text(machine.task)},
                                                 {"problem", machine.problem}};
  facts.push_back({"takes", cost_words(machine) + "; fit --plan tells it of your data"});
  if (machine.choosing) facts.push_back({"chosen", "by fit, where not given: " + tried_words(machine)});
  std::string out = table(facts);
  out += fmt::format("\n{}\n", fmt::join(remarks(machine), "\n"));
  if (machine.options.empty()) return out;
  std::vector<std::vector<std::string>> rows;
  for (const MachineOption& option : machine.options) {
    rows.push_back({option_word(option), option.flag ? "" : option.fallback, option_help(option)});
  }
  return out + "\noptions and what they are when neither given nor chosen\n" + table(rows, 2);
}

Json to_json(const Machine& machine) {
  Json options = Json::array();
  for (const MachineOption& option : machine.options) {
    options.push_back({{"name", option.name},
                       {"option", option_word(option)},
                       {"default", option.fallback},
                       {"flag", option.flag},
                       {"help", option_help(option)}});
  }
  Json exceptions = Json::array();
  for (const Exception& exception : machine.exceptions) {
    exceptions.push_back({{"law", law_text(exception.law)}, {"reason", exception.reason}, {"when", exception.when}});
  }
  return {{"name", machine.name},
          {"purpose", machine.purpose},
          {"predicts", task_text(machine.task)},
          {"problem", machine.problem},
          {"iterative", machine.iterative},
          {"centres", machine.centres != OnCentres::refused},
          {"streams", machine.streams},
          {"takes", cost_words(machine)},
          {"exceptions", exceptions},
          {"chosen", machine.choosing ? Json(tried_words(machine)) : Json()},
          {"options", options}};
}

// In a table of Markdown a bar would end the cell.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string use_text(const RowMapRow& row) {
  return row.use == RowMap::Use::preparation ? "--prepare" : "--invariance";
}

std::string maps_table() {
  std::vector<std::vector<std::string>> rows = {{"FOR", "WRITTEN", "A ROW BECOMES"}};
  for (const RowMapRow& row : row_maps()) {
    rows.push_back({use_text(row), row.signature, row.purpose + (row.rule.empty() ? "" : "; " + row.rule)});
  }
  return table(rows);
}

Json maps_json() {
  Json out = Json::array();
  for (const RowMapRow& row : row_maps()) {
    out.push_back({{"name", row.name},
                   {"option", use_text(row)},
                   {"signature", row.signature},
                   {"purpose", row.purpose},
                   {"rule", row.rule},
                   {"example", row.example}});
  }
  return out;
}

std::string maps_markdown() {
  std::string out =
      "## Maps of rows\n\nMaps prepare rows of numbers before a kernel sees them (`--prepare 'deskew(28x28), "
      "unit_norm'`, "
      "in this order), and the model keeps them: `predict` takes inputs as they came. Pictures are rows of pixels; "
      "their "
      "ground is their smallest pixel, and ink is what lies above it.\n\n| for | written | a row becomes | at the "
      "edges "
      "|\n|---|---|---|---|\n";
  for (const RowMapRow& row : row_maps()) {
    out += fmt::format("| `{}` | `{}` | {} | {} |\n", use_text(row), row.signature, cell(row.purpose), row.rule);
  }
  return out;
}

std::string markdown() {
  std::string out =
      "<!-- Generated by `mercer machines --markdown > docs/machines.md`: change the rows in src/machines, not this. "
      "-->\n\n# Machines\n\nWhat each of them solves, and its options. Unless said otherwise, a point of weight 2 "
      "counts "
      "as two points, the order of the points does not matter, and a matrix K of numbers is as good as a kernel and "
      "points. All also take the options that `mercer fit --help` lists "
      "(`--kernel`, `--target`, `--weights`, `--scale`, ...). What \"Takes\" says is for a kernel on ten columns "
      "that does not have few features, with memory counted beside data and model; `mercer fit MACHINE DATA --plan` "
      "says it for your data.\n\n| machine | predicts | purpose "
      "|\n|---|---|---|\n";
  for (const Machine& machine : machines()) {
    out += fmt::format("| [`{0}`](#{0}) | {1} | {2} |\n", machine.name, task_text(machine.task), cell(machine.purpose));
  }
  out += "\n" + maps_markdown();
  for (const Machine& machine : machines()) {
    out += fmt::format("\n## {}\n\n{}\n\n    {}\n", machine.name, machine.purpose, machine.problem);
    out += fmt::format("\n{}\n", fmt::join(remarks(machine), " "));
    out += fmt::format("\nTakes: {}.\n", cell(cost_words(machine)));
    if (machine.choosing) out += fmt::format("\nChosen by `fit` where not given: {}.\n", cell(tried_words(machine)));
    if (machine.options.empty()) continue;
    out += "\n| option | default | |\n|---|---|---|\n";
    for (const MachineOption& option : machine.options) {
      const std::string fallback = option.flag || option.fallback.empty() ? "" : "`" + cell(option.fallback) + "`";
      out += fmt::format("| `{}` | {} | {} |\n", option_word(option), fallback, cell(option_help(option)));
    }
  }
  return out;
}

}  // namespace

int run_machines(const Words& words) {
  std::string name;
  bool as_markdown = false, as_json = false, maps = false;
  Arguments arguments("machines", "The machines that `mercer fit` and `mercer tune` know, their problems and options.",
                      "  mercer machines\n  mercer machines svc\n  mercer machines --markdown > docs/machines.md\n");
  arguments.optional("NAME", name, "A machine: everything about it");
  arguments.flag("--markdown", as_markdown, "The whole catalog as a Markdown document");
  arguments.flag("--maps", maps, "The maps of rows that --prepare and --invariance take, instead");
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  if (as_markdown && (as_json || !name.empty())) {
    fail(ErrorKind::usage, "machines: --markdown is the whole catalog; leave out the name and --json");
  }
  if (maps) {
    if (as_markdown || !name.empty())
      fail(ErrorKind::usage, "machines: --maps is a list of its own; leave out the rest");
    as_json ? put_json(maps_json()) : put(maps_table());
  } else if (!name.empty()) {
    as_json ? put_json(to_json(machine(name))) : put(details(machine(name)));
  } else if (as_json) {
    Json all = Json::array();
    for (const Machine& one : machines()) all.push_back(to_json(one));
    put_json(all);
  } else {
    put(as_markdown ? markdown() : overview());
  }
  return 0;
}

}  // namespace mercer::cli
