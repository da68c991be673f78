#include "io/row_reader.hpp"

#include <algorithm>
#include <filesystem>

#include "base/fail.hpp"
#include "file/file_set.hpp"
#include "file/text_window.hpp"
#include "io/join_rows.hpp"
#include "io/row_formats.hpp"

namespace mercer {

namespace {

constexpr Index kAtOnce = Index{1} << 17;

bool is_regular(const std::string& file) {
  std::error_code none;
  return file != "-" && std::filesystem::is_regular_file(file, none) && std::filesystem::file_size(file, none) > 0;
}

bool has_quotes(const std::string& file) {
  TextWindow window(file);
  while (true) {
    if (window.text().find('"') != std::string_view::npos) return true;
    if (window.is_end()) return false;
    window.drop(window.text().size());
    window.grow();
  }
}

bool is_separated_by_tabs(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return std::count(line.begin(), line.end(), '\t') >
         std::max(std::count(line.begin(), line.end(), ','), std::count(line.begin(), line.end(), ';'));
}

}  // namespace

std::optional<RowReader> RowReader::open(const std::string& path, const ReadOptions& options,
                                         const std::vector<std::string>& with_gaps) {
  std::vector<std::string> files = files_named(path).files;
  if (!std::all_of(files.begin(), files.end(), is_regular)) return std::nullopt;
  ReadOptions found = options;
  bool tabs = false;
  for (const std::string& file : files) {
    const TextWindow window(file);
    const FileContent beginning{{window.text(), nullptr}, file};
    const ReadOptions own = resolved(options, {&beginning, 1});
    if (&file == &files.front()) found = own;
    if (own.format != found.format) return std::nullopt;
    if (own.format == mercer::Format::npy && !window.is_mapped()) return std::nullopt;
    tabs = tabs || own.format == mercer::Format::tsv ||
           (own.format == mercer::Format::csv && is_separated_by_tabs(window.text()));
  }
  if (tabs && std::any_of(files.begin(), files.end(), has_quotes)) return std::nullopt;
  std::unique_ptr<Format> format;
  if (found.format == mercer::Format::csv || found.format == mercer::Format::tsv) format = csv_rows(found, with_gaps);
  if (found.format == mercer::Format::libsvm) format = libsvm_rows(found);
  if (found.format == mercer::Format::npy) format = npy_rows(found);
  if (!format) return std::nullopt;
  return RowReader(std::move(files), std::move(format));
}

RowReader::RowReader(std::vector<std::string> files, std::unique_ptr<Format> format)
    : files_(std::move(files)), format_(std::move(format)), marks_(files_.size()) {
  open_file(0);
}

RowReader::RowReader(const RowReader& like)
    : files_(like.files_), format_(like.format_->copy()), ends_(like.ends_), marks_(like.marks_) {
  open_file(0);
}

RowReader RowReader::another() const { return RowReader(*this); }

void RowReader::open_file(std::size_t number) {
  file_ = number;
  rows_.reset();
  std::optional<FileMark>& mark = marks_[number];
  if (!mark) mark = file_mark(files_[number]);
  rows_ = format_->open(files_[number]);
  require_unchanged(files_[number], *mark);
}

std::optional<Dataset> RowReader::next(Index most) {
  while (true) {
    if (std::optional<Dataset> some = rows_->next(most)) {
      row_ += some->points.size();
      return some;
    }
    if (file_ + 1 == files_.size()) return std::nullopt;
    open_file(file_ + 1);
  }
}

Index RowReader::count() {
  if (ends_.size() == files_.size()) return ends_.back();
  const Index back = row_;
  ends_.clear();
  Index total = 0;
  for (std::size_t number = 0; number < files_.size(); ++number) {
    open_file(number);
    while (const Index some = rows_->pass(kAtOnce)) total += some;
    ends_.push_back(total);
  }
  go_to(back);
  return total;
}

void RowReader::go_to(Index row) {
  const Index total = count();
  if (row < 0 || row > total) fail(ErrorKind::shape, "{}: no row {}; there are {}", files_[0], row + 1, total);
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), row);
  const auto number = static_cast<std::size_t>(std::min(end, ends_.end() - 1) - ends_.begin());
  if (number != file_) open_file(number);
  rows_->go_to(row - (number == 0 ? 0 : ends_[number - 1]));
  row_ = row;
}

Dataset RowReader::read(Range rows) {
  if (row_ != rows.begin) go_to(rows.begin);
  std::vector<Dataset> parts;
  for (Index left = rows.size(); left > 0;) {
    std::optional<Dataset> some = next(left);
    if (!some) fail(ErrorKind::shape, "{}: rows end before {}", files_[0], rows.end);
    left -= some->points.size();
    parts.push_back(std::move(*some));
  }
  return joined(std::move(parts));
}

double RowReader::passed() const {
  return (static_cast<double>(file_) + rows_->passed()) / static_cast<double>(files_.size());
}

}  // namespace mercer
