#include "domains/strings/fasta.hpp"

#include <algorithm>
#include <cctype>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "file/fields.hpp"

namespace mercer::detail {

namespace {

struct Records {
  std::vector<std::string> sequences, names, descriptions;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

void add_letters(std::string_view line, Index number, const std::string& file, std::string& sequence) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    if (is_blank(line[i])) continue;
    if (c <= ' ' || c >= 0x7F) {
      fail(ErrorKind::data, "{}: line {}, position {}: byte 0x{:02X} is no letter of a sequence", file, number, i + 1,
           c);
    }
    sequence += line[i];
  }
}

Records read_records(std::string_view text, const std::string& file) {
  Records out;
  Index number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    ++number;
    if (line.starts_with('>')) {
      const std::string_view title = trimmed(line.substr(1));
      const auto blank = static_cast<std::size_t>(std::find_if(title.begin(), title.end(), is_blank) - title.begin());
      out.names.emplace_back(title.substr(0, blank));
      out.descriptions.emplace_back(trimmed(title.substr(blank)));
      out.sequences.emplace_back();
    } else if (!line.empty() && !line.starts_with(';')) {
      if (out.sequences.empty()) {
        fail(ErrorKind::data, "{}: line {}: {} stands before the first line that begins with \">\"", file, number,
             shown(line));
      }
      add_letters(text.substr(0, end), number, file, out.sequences.back());
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (out.sequences.empty())
    fail(ErrorKind::data, "{}: no sequence; one begins with a line \">name description\"", file);
  return out;
}

void set_target(std::vector<std::string> texts, std::string name, Dataset& data) {
  data.target_name = std::move(name);
  for (const std::string& value : texts) {
    const auto number = parse_number(value);
    if (!number) {
      data.target_numbers.clear();
      data.target_texts = std::move(texts);
      return;
    }
    data.target_numbers.push_back(*number);
  }
}

}  // namespace

bool looks_like_fasta(std::string_view beginning) {
  const std::string_view text = beginning.substr(std::min(beginning.find_first_not_of(" \t\r\n"), beginning.size()));
  return text.starts_with('>') || (text.starts_with(';') && text.find("\n>") != std::string_view::npos);
}

Dataset parse_fasta(std::string_view text, const std::string& name, const ReadOptions& options) {
  Records records = read_records(text, name);
  const auto described = [](const std::string& description) { return !description.empty(); };
  const bool any = std::any_of(records.descriptions.begin(), records.descriptions.end(), described);
  Dataset data{strings(std::move(records.sequences))};
  if (!options.target.empty() && options.target != "name" && options.target != "description") {
    fail(ErrorKind::data, "{}: there is no column {}; a FASTA file has \"name\" and \"description\"", name,
         quoted(options.target));
  }
  const std::string& wanted = options.target.empty() ? options.label : options.target;
  if (wanted == "name") {
    set_target(std::move(records.names), "name", data);
  } else if (wanted == "description" || any) {
    set_target(std::move(records.descriptions), "description", data);
  }
  return data;
}

}  // namespace mercer::detail
