// Which format a file has, and which options go with it.
#include <algorithm>
#include <cctype>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "domains/domains.hpp"
#include "file/file_set.hpp"
#include "io/readers.hpp"

namespace mercer {

namespace {

bool ends_with_any(const std::string& name, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return name.ends_with(ending); });
}

// "train-images-idx3-ubyte", "labels.idx1-ubyte"
bool has_idx_mark(const std::string& name) {
  const std::size_t at = name.rfind("idx");
  return at != name.npos && at > 0 && at + 4 < name.size() && std::isdigit(static_cast<unsigned char>(name[at + 3])) &&
         name[at + 4] == '-';
}

// The rows of all domains.
std::vector<detail::FileFormat> more_formats() {
  std::vector<detail::FileFormat> all;
  for (const detail::DomainRow& domain : detail::domains()) {
    if (domain.formats == nullptr) continue;
    for (detail::FileFormat& format : domain.formats()) all.push_back(std::move(format));
  }
  return all;
}

const std::vector<detail::FileFormat>& other_formats() {
  static const std::vector<detail::FileFormat> all = more_formats();
  return all;
}

const detail::FileFormat* find_other(Format format) {
  for (const detail::FileFormat& other : other_formats()) {
    if (other.name == format.name) return &other;
  }
  return nullptr;
}

Format format_of_name(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (ends_with_any(name, {".csv"})) return Format::csv;
  if (ends_with_any(name, {".tsv", ".tab"})) return Format::tsv;
  if (ends_with_any(name, {".svm", ".libsvm", ".svmlight"})) return Format::libsvm;
  if (ends_with_any(name, {".npy"})) return Format::npy;
  if (ends_with_any(name, {".idx"}) || has_idx_mark(name)) return Format::idx;
  for (const detail::FileFormat& other : other_formats()) {
    for (const std::string& ending : other.endings) {
      if (name.ends_with(ending)) return {other.name};
    }
  }
  return Format::automatic;
}

// "label column:value ..." up to the first pair, or a label alone.
enum class Look { pair, label, other };
Look libsvm_look(std::string_view line) {
  line = trim(line.substr(0, line.find('#')));
  double number = 0;
  const char* const end = line.data() + line.size();
  const char* at = take_number(line.data(), end, number);
  if (at == line.data()) return Look::other;
  if (at == end) return Look::label;
  if (*at != ' ' && *at != '\t') return Look::other;
  while (*at == ' ' || *at == '\t') ++at;
  const char* const colon = std::find_if_not(at, end, [](unsigned char c) { return std::isdigit(c) != 0; });
  return colon != at && colon != end && *colon == ':' ? Look::pair : Look::other;
}

// Whether the first lines that are not blank are all points, and not all of them bare labels.
bool looks_like_libsvm(std::string_view text) {
  text = text.substr(0, 1 << 16);
  bool pairs = false;
  while (!text.empty()) {
    const std::size_t stop = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, stop);
    text.remove_prefix(std::min(stop + 1, text.size()));
    if (trim(line.substr(0, line.find('#'))).empty()) continue;
    const Look look = libsvm_look(line);
    // The last line may be cut short by the limit above.
    if (look == Look::other) return pairs && text.empty();
    pairs = pairs || look == Look::pair;
  }
  return pairs;
}

Format format_of_content(std::string_view text) {
  if (text.starts_with("\x93NUMPY")) return Format::npy;
  if (text.size() >= 4 && text[0] == 0 && text[1] == 0 && text[2] >= 0x08 && text[2] <= 0x0E && text[3] > 0) {
    return Format::idx;
  }
  for (const detail::FileFormat& other : other_formats()) {
    if (other.looks_so != nullptr && other.looks_so(text)) return {other.name};
  }
  if (looks_like_libsvm(text)) return Format::libsvm;
  return text.substr(0, text.find('\n')).find('\t') != text.npos ? Format::tsv : Format::csv;
}

}  // namespace

Format detect_format(const std::string& path, std::string_view text) {
  const Format format = format_of_name(path);
  return format == Format::automatic ? format_of_content(text) : format;
}

ReadOptions resolved(const ReadOptions& options, std::span<const FileContent> files) {
  ReadOptions out = options;
  for (const FileContent& file : files) {
    if (file.bytes.text.starts_with("mercer-model ")) {
      fail(ErrorKind::data, "{}: is a model, not a file of points", file.name);
    }
    if (options.format != Format::automatic) continue;
    const Format format = detect_format(file.name, file.bytes.text);
    if (&file == &files.front()) out.format = format;
    if (out.format == format) continue;
    fail(ErrorKind::data, "{}: is a file of {}, and {} one of {}; give files of one format", file.name, format.name,
         files.front().name, out.format.name);
  }
  const std::string& name = files.front().name;
  const bool text_columns = out.format == Format::csv || out.format == Format::tsv;
  const bool libsvm = out.format == Format::libsvm;
  if (options.header && !text_columns) {
    fail(ErrorKind::usage, "{}: only csv and tsv files have a header line; leave the header option out", name);
  }
  if (!options.texts.empty() && !text_columns) {
    fail(ErrorKind::usage, "{}: only csv and tsv files have columns of text; leave out `text`", name);
  }
  if (options.columns != 0 && !libsvm) {
    fail(ErrorKind::usage, "{}: the number of columns is an option of libsvm files only; leave it out", name);
  }
  if (options.columns < 0) fail(ErrorKind::usage, "{}: {} columns; give a positive number", name, options.columns);
  if (!options.target.empty() && libsvm) {
    fail(ErrorKind::usage, "{}: in a libsvm file the label is the target; leave the target option out", name);
  }
  return out;
}

Dataset parse_data(std::span<const FileContent> files, const ReadOptions& given) {
  const ReadOptions options = resolved(given, files);
  const auto& [bytes, name] = files.front();
  if (options.format == Format::libsvm) return parse_libsvm(files, options);
  if (options.format == Format::npy) return parse_npy(files, options);
  if (options.format == Format::csv || options.format == Format::tsv) return parse_csv(files, options);
  if (files.size() > 1) {
    fail(ErrorKind::usage, "{}: files of {} are read one by one; several are one table as csv, tsv, libsvm or npy",
         name, options.format.name);
  }
  if (options.format == Format::idx) return parse_idx(bytes.text, name, options);
  const detail::FileFormat* other = find_other(options.format);
  if (other == nullptr || other->read == nullptr) {
    fail(ErrorKind::usage, "{}: no file is of the format {}", name, options.format.name);
  }
  return other->read(bytes.text, name, options);
}

Dataset parse_data(const Bytes& bytes, const std::string& path, const ReadOptions& options) {
  return parse_data(std::vector<FileContent>{{bytes, display_name(path)}}, options);
}

std::vector<Format> formats() {
  std::vector<Format> all = {Format::csv, Format::tsv, Format::libsvm, Format::npy, Format::idx};
  for (const detail::FileFormat& other : other_formats()) all.push_back({other.name});
  return all;
}

std::vector<std::string> Dataset::target() const {
  std::vector<std::string> out = target_texts;
  for (const double value : target_numbers) out.push_back(number(value));
  return out;
}

Dataset read_data(const std::string& path, const ReadOptions& options) {
  for (const detail::FileFormat& other : other_formats()) {
    if (other.is_folder != nullptr && other.is_folder(path)) return other.read_folder(path, options);
  }
  std::vector<FileContent> files;
  for (const std::string& file : files_named(path).files) files.push_back({read_bytes(file), display_name(file)});
  return parse_data(files, options);
}

}  // namespace mercer
