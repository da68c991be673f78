#include "report/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>

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

bool is_flag(const Model& model, const std::string& name) {
  const std::vector<MachineOption>& options = machine(model.parts().machine).options;
  return std::any_of(options.begin(), options.end(), [&](const auto& o) { return o.name == name && o.flag; });
}

std::string target_of(const Model& model) { return fmt::format("{}", fmt::join(model.parts().targets, ",")); }

std::string kernel_of(const Model& model) {
  const auto& kernel = model.expansion().parts().kernel;
  return kernel ? kernel->str() : "precomputed";
}

std::string command_of(const Subject& subject, const std::string& model_name, const std::string& data) {
  const Model& model = subject.model;
  std::string out =
      fmt::format("mercer fit {} {} --kernel {}", model.parts().machine, for_shell(data), for_shell(kernel_of(model)));
  for (const auto& [name, value] : telling(model)) {
    if (!is_flag(model, name)) {
      out += fmt::format(" --{} {}", name, for_shell(value));
    } else if (value == "true") {
      out += " --" + name;
    }
  }
  if (const std::string target = target_of(model); !target.empty()) out += " --target " + for_shell(target);
  if (model.expansion().parts().kernel) out += fmt::format(" --scale {}", name_of(model.parts().scaling.kind));
  return fmt::format("{} --plain -o {}\nmercer report {} {}\n", out, for_shell(model_name), for_shell(model_name),
                     for_shell(data));
}

std::string cpp_of(const Subject& subject, const std::string& model_name, const std::string& data) {
  const Model& model = subject.model;
  std::string settings;
  for (const auto& [name, value] : telling(model)) {
    settings += fmt::format("{}{{{}, {}}}", settings.empty() ? "" : ", ", for_program(name), for_program(value));
  }
  return fmt::format(
      "#include <cstdio>\n\n#include <mercer/mercer.hpp>\n\nint main() {{\n  using namespace mercer;\n"
      "  const workflow::Source data{{.path = {}}};\n"
      "  const workflow::FitResult fitted = workflow::fit({{.machine = {},\n"
      "                                                    .settings = {{{}}},\n"
      "                                                    .kernel = {},\n"
      "                                                    .source = data,\n"
      "                                                    .target = {},\n"
      "                                                    .scale = Scaling::Kind::{},\n"
      "                                                    .plain = true}});\n"
      "  save({}, fitted.model);\n"
      "  std::puts(workflow::outcome(fitted.model).c_str());\n}}\n",
      for_program(data), for_program(model.parts().machine), settings, for_program(kernel_of(model)),
      for_program(target_of(model)), name_of(model.parts().scaling.kind), for_program(model_name));
}

std::string python_of(const std::string& model_name, const std::string& data) {
  return fmt::format(
      "import mercer\n\nmodel = mercer.load({0})  # what the command, or the C++ program, has written\n"
      "print(model)\nreport = mercer.report({0}, {1})\nreport.save(\"report.html\")\n",
      for_program(model_name), for_program(data));
}

}  // namespace

Json to_json(const Code& code) { return {{"command", code.command}, {"cpp", code.cpp}, {"python", code.python}}; }

Code reproduce(const Subject& subject, const std::string& model, const std::string& data) {
  return {command_of(subject, model, data), cpp_of(subject, model, data), python_of(model, data)};
}

}  // namespace mercer::report
