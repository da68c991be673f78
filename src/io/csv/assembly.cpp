// CSV and TSV: points and target of what was read. The numbers stay where they were read to, X being a view of them.
#include "io/csv/assembly.hpp"

#include <algorithm>
#include <vector>

#include "base/fail.hpp"

namespace mercer {

namespace {

using csv::Scan;
using csv::Types;

class Assembly {
 public:
  // `names`: how many lines of names there are above the values, 0 or 1.
  Assembly(const Scan& scan, Index names, Types types, const ReadOptions& options, const std::string& name)
      : values_(scan.values()), types_(std::move(types)), names_(names), rows_(scan.rows() - names) {
    const std::size_t d = columns();
    target_ = options.target.empty() ? d - (options.last_is_target ? 1 : 0)
                                     : static_cast<std::size_t>(column_number(
                                           options.target, "be the target", types_.names, static_cast<Index>(d), name));
    if (has_target() && d == 1) {
      fail(ErrorKind::data, "{}: its only column is the target; no column is left for the points", name);
    }
    if (std::find(types_.is_text.begin(), types_.is_text.end(), true) == types_.is_text.end()) return;
    texts_ = scan.texts(types_.is_text);
    for (std::vector<std::string>& texts : texts_) {
      if (names_ > 0 && !texts.empty()) texts.erase(texts.begin());
    }
  }

  // Takes the target before columns move over its place.
  Dataset dataset() {
    Vector target_numbers;
    std::vector<std::string> target_texts;
    if (has_target() && types_.is_text[target_]) {
      target_texts = std::move(texts_[target_]);
    } else if (has_target()) {
      target_numbers.reserve(static_cast<std::size_t>(rows_));
      for (Index i = 0; i < rows_; ++i) target_numbers.push_back(row(i)[target_]);
    }
    return {.points = points(),
            .target_numbers = std::move(target_numbers),
            .target_texts = std::move(target_texts),
            .target_name = has_target() ? types_.names[target_] : std::string(),
            .counted = !types_.header};
  }

 private:
  std::size_t columns() const { return types_.names.size(); }
  bool has_target() const { return target_ < columns(); }
  double* row(Index i) const { return values_->row(i + names_); }

  Points points() {
    std::vector<std::pair<std::string, Points>> parts;
    for (std::size_t j = 0; j < columns();) {
      if (j == target_) {
        ++j;
      } else if (types_.is_text[j]) {
        parts.emplace_back(types_.names[j], strings(std::move(texts_[j])));
        ++j;
      } else {
        std::size_t end = j;
        while (end < columns() && (end == target_ || !types_.is_text[end])) ++end;
        parts.emplace_back("", numbers(j, end));
        j = end;
      }
    }
    return parts.size() == 1 && parts[0].first.empty() ? parts[0].second : table(std::move(parts));
  }

  // Columns [begin, end) but for the target, over which those behind it move up.
  Points numbers(std::size_t begin, std::size_t end) {
    std::vector<std::string> names;
    for (std::size_t j = begin; j < end; ++j) {
      if (j != target_) names.push_back(types_.names[j]);
    }
    if (begin < target_ && target_ + 1 < end) {
      for (Index i = 0; i < rows_; ++i) std::copy(row(i) + target_ + 1, row(i) + end, row(i) + target_);
    }
    const MatrixView view(row(0) + begin, rows_, static_cast<Index>(names.size()), values_->cols());
    return named(rows(view, values_), std::move(names));
  }

  std::shared_ptr<Matrix> values_;
  Types types_;
  Index names_;
  Index rows_;          // of values
  std::size_t target_;  // columns(): none
  std::vector<std::vector<std::string>> texts_;
};

}  // namespace

Dataset csv::assemble(const Scan& scan, Index names, const Types& types, const ReadOptions& options) {
  return Assembly(scan, names, types, options, scan.name()).dataset();
}

Dataset parse_csv(std::span<const FileContent> files, const ReadOptions& options) {
  std::vector<csv::Sheet> sheets;
  for (const FileContent& file : files) sheets.push_back({csv::text_of(file.bytes.text, file.name), file.name});
  const csv::Dialect dialect = csv::dialect_of(sheets, options.format);
  const Scan scan(sheets, dialect);
  const Types types = csv::types_of(scan, options);
  if (types.header || !scan.left_out_names()) return csv::assemble(scan, types.header, types, options);
  // Files without names that happen to begin alike.
  ReadOptions values = options;
  values.header = false;
  const Scan all(std::move(sheets), dialect, Scan::FirstLines::values);
  return csv::assemble(all, 0, csv::types_of(all, values), options);
}

Dataset parse_csv(std::string_view text, const std::string& name, const ReadOptions& options) {
  return parse_csv(std::vector<FileContent>{{{text, nullptr}, name}}, options);
}

}  // namespace mercer
