#include "output.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <iostream>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "colour.hpp"

namespace mercer::cli {

void put(std::string_view text) { std::cout << text; }

void put_json(const Json& value) {
  // A column name or a reason may hold bytes that are no UTF-8; JSON cannot.
  put(value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void say(std::string_view line) {
  constexpr std::string_view kNote = "note: ";
  const bool note = line.starts_with(kNote);
  if (note) line.remove_prefix(kNote.size());
  std::cerr << fmt::format("mercer: {}{}\n", note ? painted(Stream::errors, Ink::yellow, kNote) : "", shortened(line))
            << std::flush;
}

void say_error(std::string_view line) {
  std::cerr << fmt::format("{} {}\n", painted(Stream::errors, Ink::red, "mercer:"), shortened(line)) << std::flush;
}

void finish_output() {
  // A stream that failed before does nothing now, and errno still tells why.
  if (std::cout.flush()) return;
  fail(ErrorKind::file, "standard output: cannot be written: {}", std::strerror(errno));
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

std::string bytes_text(double bytes) {
  const char* unit = "bytes";
  for (const char* next : {"KB", "MB", "GB", "TB"}) {
    if (bytes < 1000) break;
    bytes /= 1000;
    unit = next;
  }
  return fmt::format("{:.3g} {}", bytes, unit);
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", 1000 * seconds) : fmt::format("{:.3g} s", seconds);
}

Json to_json(const Proof& proof) {
  Json out{{"statement", proof.statement},   {"rule", proof.rule},         {"because", proof.because},
           {"conditions", proof.conditions}, {"citation", proof.citation}, {"premises", Json::array()}};
  for (const Proof& premise : proof.premises) out["premises"].push_back(to_json(premise));
  return out;
}

Json to_json(const Params& params) {
  Json out = Json::array();
  for (const Parameter& p : params) {
    // JSON has no infinity: an open end is null, and so is a value that is not known before the data.
    out.push_back({{"path", p.path},
                   {"value", p.automatic ? Json() : Json(p.value)},
                   {"lower", p.lower},
                   {"upper", std::isfinite(p.upper) ? Json(p.upper) : Json()},
                   {"fixed", p.fixed},
                   {"auto", p.automatic}});
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
