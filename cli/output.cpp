#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "colour.hpp"
#include "distributed/ranks.hpp"
#include "mercer/io.hpp"
#include "mercer/wording.hpp"
#include "spool.hpp"

namespace mercer::cli {

std::string in_options(std::string_view text) {
  return spelled(text, [](const Argument& argument) {
    if (argument.name == "source") return std::string("DATA");
    std::string name(argument.name == "deviations"   ? "std"
                     : argument.name == "folds"      ? "cv"
                     : argument.name == "folds_file" ? "folds"
                                                     : argument.name);
    std::ranges::replace(name, '_', '-');
    return fmt::format("--{}{}{}", name, argument.value.empty() ? "" : " ", argument.value);
  });
}

void put(std::string_view text) {
  if (distributed::speaks()) std::cout << text;
}

void put_json(const Json& value) { put(workflow::text_of(value) + "\n"); }

void say(std::string_view line) {
  if (!distributed::speaks()) return;
  constexpr std::string_view kNote = "note: ";
  const bool note = line.starts_with(kNote);
  if (note) line.remove_prefix(kNote.size());
  std::cerr << fmt::format("mercer: {}{}\n", note ? painted(Stream::errors, Ink::yellow, kNote) : "",
                           shortened(in_options(line)))
            << std::flush;
}

void say_error(std::string_view line) {
  if (!distributed::speaks()) return;
  std::cerr << fmt::format("{} {}\n", painted(Stream::errors, Ink::red, "mercer:"), shortened(in_options(line)))
            << std::flush;
}

void finish_output() {
  // A stream that failed before does nothing now, and errno still tells why.
  if (std::cout.flush()) return;
  fail(ErrorKind::file, "standard output: cannot be written: {}", std::strerror(errno));
}

bool is_standard(const std::string& path) { return path.empty() || path == "-"; }

void write_output(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (!is_standard(path)) return write_atomically(path, write);
  write(std::cout);
  finish_output();
}

void write_when_complete(const std::string& path, const std::function<void(std::ostream&)>& write) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  const bool replaced = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
  if (!is_standard(path) && replaced) return write_atomically(path, write);
  Spool spool;
  std::ostream waiting(&spool);
  write(waiting);
  write_output(path, [&](std::ostream& out) { spool.copy_to(out); });
}

bool names_folder(const std::string& path) {
  std::error_code none;
  return path.ends_with('/') || std::filesystem::is_directory(path, none);
}

void require_writable(const std::string& path) {
  const std::filesystem::path file(path);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    fail(ErrorKind::file, "{}: cannot be written: its folder does not exist; create it first", path);
  }
  if (std::filesystem::is_directory(file, ignored)) fail(ErrorKind::file, "{}: is a folder; name a file", path);
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return width;
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  const std::size_t own = width_of(text);
  if (own < width) out.append(width - own, ' ');
  return out;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  for (std::string line : lines_of(text)) {
    while (width_of(line) > width) {
      // Bytes are no fewer than columns, so a break found here is never too late.
      const std::size_t space = line.rfind(' ', width);
      if (space == std::string::npos || space == 0) break;
      out += line.substr(0, line.find_last_not_of(' ', space) + 1) + "\n";
      line.erase(0, space + 1);
    }
    out += line + "\n";
  }
  if (!text.ends_with('\n') && !out.empty()) out.pop_back();
  return out;
}

std::string indented(std::string_view text, std::size_t indent) {
  std::string out;
  for (const std::string& line : lines_of(text)) out += std::string(indent, ' ') + line + "\n";
  return out;
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (const auto& cells : rows) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t j = 0; j < cells.size(); ++j) widths[j] = std::max(widths[j], width_of(cells[j]));
  }
  std::string out;
  for (const auto& cells : rows) {
    std::string line(indent, ' ');
    for (std::size_t j = 0; j < cells.size(); ++j) line += padded(cells[j], widths[j] + 2);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string params_table(const Params& params, std::size_t indent) {
  std::vector<std::vector<std::string>> rows;
  for (const Parameter& p : params) {
    const char* const state = p.automatic ? "auto: read off the data" : p.fixed ? "fixed" : "free";
    rows.push_back({p.path, p.automatic ? "auto" : number(p.value),
                    fmt::format("{} to {}", number(p.lower), number(p.upper)), state});
  }
  return table(rows, indent);
}

std::vector<std::string> assumptions(const Proof& proof) {
  if (proof.rule == "assume_psd") return {proof.statement};
  std::vector<std::string> out;
  for (const Proof& premise : proof.premises) {
    for (std::string& text : assumptions(premise)) out.push_back(std::move(text));
  }
  return out;
}

}  // namespace mercer::cli
