#include "report/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"

namespace mercer::report {

namespace {

// As a shell takes it for one word.
std::string for_shell(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./=,:+").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// As C++ and Python take it.
std::string for_program(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// The options that are not as the machine's row has them.
Settings telling(const Model& model) {
  Settings out;
  for (const MachineOption& option : machine(model.parts().machine).options) {
    const auto given = model.parts().settings.find(option.name);
    if (given != model.parts().settings.end() && given->second != option.fallback) out.insert(*given);
  }
  return out;
}

// " --max-iterations 5", " --loo", " --no-refine": as the command has it.
std::string option_text(const Model& model, const std::string& name, const std::string& value) {
  const std::vector<MachineOption>& options = machine(model.parts().machine).options;
  const bool flag =
      std::any_of(options.begin(), options.end(), [&](const auto& o) { return o.name == name && o.flag; });
  std::string word = name;
  std::replace(word.begin(), word.end(), '_', '-');
  if (flag) return (value == "true" ? " --" : " --no-") + word;
  return fmt::format(" --{} {}", word, for_shell(value));
}

// The kernel that the fit was given: of a machine that learns its numbers, those at which it began.
std::optional<std::string> kernel_of(const Model& model) {
  const Settings& read = model.parts().provenance.read;
  if (const auto begun = read.find("kernel"); begun != read.end()) return begun->second;
  const auto& kernel = model.expansion().parts().kernel;
  return kernel ? std::optional(kernel->str()) : std::nullopt;
}

constexpr const char* kUnknown = "TRAINING.csv";

// The files that the texts speak of.
struct Files {
  std::string training, model, data;
  Settings read = {};  // how the training file is read, by options of the command
};

// A name that overwrites nothing: the model's own is taken.
std::string name_beside(const std::string& model) {
  if (model.empty()) return "model.mercer";
  const std::filesystem::path path(model);
  return (path.parent_path() / (path.stem().string() + "-again.mercer")).string();
}

Files files_of(const Subject& subject, const std::string& model, const std::string& data) {
  const Model::Parts& parts = subject.model.parts();
  Files out{subject.fitted_to ? data : parts.provenance.source, name_beside(model), data, parts.provenance.read};
  if (out.training.empty()) out.training = kUnknown;
  if (!parts.targets.empty()) out.read.emplace("target", fmt::format("{}", fmt::join(parts.targets, ",")));
  return out;
}

std::string read_options(const Settings& read, std::initializer_list<const char*> names) {
  std::string out;
  for (const char* const name : names) {
    if (const auto given = read.find(name); given != read.end()) {
      out += fmt::format(" --{} {}", name, for_shell(given->second));
    }
  }
  return out;
}

std::string command_of(const Subject& subject, const Files& files) {
  const Model& model = subject.model;
  std::string out;
  if (files.training == kUnknown) {
    out = fmt::format("# The model does not say which file it was fitted to; {} stands for it.\n", kUnknown);
  } else if (const std::string& hash = model.parts().provenance.sha256; !hash.empty()) {
    out = fmt::format("# The SHA-256 of {} was {}\n", files.training, hash);
  }
  out += fmt::format("mercer fit {} {} --kernel {}", model.parts().machine, for_shell(files.training),
                     for_shell(kernel_of(model).value_or("precomputed")));
  for (const auto& [name, value] : telling(model)) out += option_text(model, name, value);
  out += read_options(files.read, {"target", "weights", "types", "columns", "drop", "missing", "graph", "node",
                                   "graphs", "bag", "series", "format", "header", "text"});
  if (model.expansion().parts().kernel) out += fmt::format(" --scale {}", name_of(model.parts().scaling.kind));
  if (const auto& maps = model.parts().scaling.maps; !maps.empty()) out += " --prepare " + for_shell(str(maps));
  if (const auto& plan = model.report().plan; plan && !plan->centres_by.empty()) {
    out += fmt::format(" --centres {} --centres-by {}", plan->centres, plan->centres_by);
  }
  out += fmt::format(" --plain -o {}\nmercer report {} {}", for_shell(files.model), for_shell(files.model),
                     for_shell(files.data));
  out += subject.fitted_to ? read_options(model.parts().provenance.read,
                                          {"target", "graphs", "bag", "series", "format", "header", "text"})
                           : read_options(files.read, {"graphs", "bag", "series", "text"});
  return out + "\n";
}

// ".graph = \"edges.txt\", " of each that is given, by names of members.
std::string members(const Settings& read, std::initializer_list<const char*> names) {
  std::string out;
  for (const char* const name : names) {
    const auto given = read.find(name);
    if (given == read.end()) continue;
    const std::string& value = given->second;
    if (std::string_view(name) == "header") {
      out += fmt::format(", .header = {}", value == "yes");
    } else if (std::string_view(name) == "format") {
      out += fmt::format(", .format = {{{}}}", for_program(value));
    } else {
      out += fmt::format(", .{} = {}", name, for_program(value));
    }
  }
  return out;
}

// ".table = {...}, " where something was said of columns.
std::string table_of(const Settings& read) {
  std::string out;
  for (const char* const name : {"types", "columns", "drop", "missing"}) {
    const auto given = read.find(name);
    if (given == read.end()) continue;
    std::string value;
    if (given->first == "types") {
      value = fmt::format("data::type_wishes({})", for_program(given->second));
    } else {
      for (const std::string& word : split(given->second, ',')) {
        value += (value.empty() ? "{" : ", ") + for_program(word);
      }
      value += "}";
    }
    out += fmt::format("{}.{} = {}", out.empty() ? "" : ", ", name, value);
  }
  return out.empty() ? "" : fmt::format(", .table = {{{}}}", out);
}

std::string cpp_of(const Subject& subject, const Files& files) {
  const Model& model = subject.model;
  const std::optional<std::string> kernel = kernel_of(model);
  std::string settings;
  for (const auto& [name, value] : telling(model)) {
    settings += fmt::format("{}{{{}, {}}}", settings.empty() ? "" : ", ", for_program(name), for_program(value));
  }
  const std::vector<RowMap>& maps = model.parts().scaling.maps;
  const std::string prepared = maps.empty() ? "" : fmt::format(" .prepare = row_map_list({}),", for_program(str(maps)));
  return fmt::format(
      "#include <cstdio>\n\n#include <mercer/mercer.hpp>\n\nint main() {{\n  using namespace mercer;\n"
      "  const workflow::Source data{{.path = {}{}}};\n"
      "  const workflow::FitResult fitted = workflow::fit({{.machine = {},\n"
      "                                                    .settings = {{{}}},\n"
      "                                                    .kernel = {},\n"
      "                                                    .source = data{},{}\n"
      "                                                    .scale = Scaling::Kind::{},\n"
      "                                                    .plain = true}});\n"
      "  save({}, fitted.model);\n"
      "  std::puts(workflow::outcome(fitted.model).c_str());\n}}\n",
      for_program(files.training),
      members(files.read, {"format", "header", "graphs", "bag", "series", "graph", "node", "text"}),
      for_program(model.parts().machine), settings,
      kernel ? fmt::format("parse({})", for_program(*kernel)) : "workflow::Precomputed{}",
      members(files.read, {"target", "weights"}) + table_of(files.read), prepared, name_of(model.parts().scaling.kind),
      for_program(files.model));
}

std::string python_of(const Files& files) {
  return fmt::format(
      "import mercer\n\nmodel = mercer.load({0})  # what the command, or the C++ program, has written\n"
      "print(model)\nreport = mercer.report({0}, {1})\nreport.save(\"report.html\")\n",
      for_program(files.model), for_program(files.data));
}

}  // namespace

Json to_json(const Code& code) { return {{"command", code.command}, {"cpp", code.cpp}, {"python", code.python}}; }

Code reproduce(const Subject& subject, const std::string& model, const std::string& data) {
  const Files files = files_of(subject, model, data);
  return {command_of(subject, files), cpp_of(subject, files), python_of(files)};
}

}  // namespace mercer::report
