// mercer manual: pages for man, made of the texts that --help and the catalogs show.
#include <filesystem>

#include "arguments.hpp"
#include "mercer/io.hpp"
#include "mercer/machines.hpp"
#include "output.hpp"
#include "usage.hpp"

namespace mercer::cli {

namespace {

// A line of text as roff shows it: no character of it is a command.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string plain_lines(std::string_view text) {
  std::string out;
  for (const std::string& line : lines_of(text)) out += (line.empty() ? ".PP" : plain(line)) + "\n";
  return out;
}

std::string verbatim(std::string_view text) {
  std::string out = ".nf\n";
  for (const std::string& line : lines_of(text)) out += plain(line) + "\n";
  return out + ".fi\n";
}

std::string opening(const std::string& page, const std::string& purpose) {
  std::string name = page;
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"Mercer {}\" \"Mercer\"\n.SH NAME\n{} \\- {}\n", plain(name), MERCER_VERSION,
                     plain(page), plain(purpose));
}

std::string one_line(std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

std::string option_entry(const Usage::Option& option) {
  std::string head;
  for (const std::string& name : option.names)
    head += (head.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", plain(name));
  if (!option.value.empty()) head += fmt::format(" \\fI{}\\fR", plain(option.value));
  return fmt::format(".TP\n{}\n{}", head, plain_lines(option.help));
}

// The options of one section, or none of it.
std::string section_of(const Usage& usage, const std::string& section, bool placed, const std::string& title) {
  std::string out;
  for (const Usage::Option& option : usage.options) {
    if (option.placed == placed && option.section == section) out += option_entry(option);
  }
  return out.empty() ? "" : fmt::format(".SH {}\n{}", plain(title), out);
}

std::string page_of(const Verb& verb) {
  const Usage usage = usage_of(verb);
  std::string out = opening("mercer-" + verb.name, one_line(verb.purpose));
  out += fmt::format(".SH SYNOPSIS\n\\fBmercer {}\\fR {} [options]\n", verb.name, plain(verb.takes));
  out += ".SH DESCRIPTION\n" + plain_lines(usage.purpose);
  out += section_of(usage, "Options", true, "ARGUMENTS") + section_of(usage, "Options", false, "OPTIONS");
  if (verb.machine_first) {
    for (const Machine& machine : machines()) {
      out +=
          section_of(usage_of(verb, machine.name), "Options of " + machine.name, false, "OPTIONS OF " + machine.name);
    }
  }
  return out + ".SH EXAMPLES\n" + verbatim(usage.examples) + ".SH SEE ALSO\n.BR mercer (1)\n";
}

std::string overview_page() {
  std::string out = opening("mercer", "kernels that come with their proof, and the machines that learn with them");
  out += ".SH SYNOPSIS\n\\fBmercer\\fR VERB ...\n.SH VERBS\n";
  for (const Verb& verb : verbs()) {
    out += fmt::format(".TP\n\\fBmercer {}\\fR {}\n{}\n", verb.name, plain(verb.takes), plain(one_line(verb.purpose)));
  }
  out += ".SH MACHINES\n";
  for (const Machine& machine : machines()) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", machine.name, plain(machine.purpose));
  }
  out +=
      ".SH ENVIRONMENT\n.TP\n\\fBMERCER_NUM_THREADS\\fR\nthe number of threads, where \\-\\-threads does not give it; "
      "else one for each processor,\n"
      "but no more than \\fBOMP_NUM_THREADS\\fR\n"
      ".TP\n\\fBNO_COLOR\\fR\nwhen set, nothing is coloured\n"
      ".SH EXIT STATUS\n0 done; 1 failed, not a kernel, or not converged; 2 a command or an expression that cannot be "
      "read\n.SH SEE ALSO\n";
  std::vector<std::string> others;
  for (const Verb& verb : verbs()) others.push_back(fmt::format("\\fBmercer\\-{}\\fR(1)", verb.name));
  return out + fmt::format("{}\n", fmt::join(others, ", "));
}

}  // namespace

int run_manual(const Words& words) {
  std::string name, folder;
  Arguments arguments("manual", "A page of the manual, as man reads it; --all writes all of them.",
                      "  mercer manual fit | man -l -\n  mercer manual --all /usr/local/share/man/man1\n");
  arguments.optional("VERB", name, "Which page; without it the one of the command as a whole");
  arguments.option("--all", folder, "DIR", "Write every page into this folder");
  if (!arguments.parse(words)) return 0;
  if (!folder.empty() && !name.empty()) fail(ErrorKind::usage, "manual: --all writes every page; leave out {}", name);
  if (!folder.empty()) {
    const auto write = [&](const std::string& page, const std::string& text) {
      const std::string path = (std::filesystem::path(folder) / (page + ".1")).string();
      require_writable(path);
      write_atomically(path, [&](std::ostream& out) { out << text; });
    };
    write("mercer", overview_page());
    for (const Verb& verb : verbs()) write("mercer-" + verb.name, page_of(verb));
    return 0;
  }
  if (name.empty()) {
    put(overview_page());
    return 0;
  }
  const Verb* const verb = verb_named(name);
  if (verb == nullptr) {
    std::vector<std::string> names;
    for (const Verb& one : verbs()) names.push_back(one.name);
    fail(ErrorKind::usage, "manual: there is no verb {}{}", mercer::quoted(name), did_you_mean(name, names));
  }
  put(page_of(*verb));
  return 0;
}

}  // namespace mercer::cli
