// CSV and TSV files some rows at a time.
#include <algorithm>

#include "base/text.hpp"
#include "io/csv/assembly.hpp"
#include "io/row_formats.hpp"

namespace mercer {

namespace {

// What the beginning of the first file decides for all.
struct Shape {
  ReadOptions options;
  std::vector<std::string> with_gaps = {};
  csv::Dialect dialect = {};
  csv::Types types = {};
  std::vector<std::string> first_fields = {};
  std::string file = {};
  bool known = false;
};

class CsvRows final : public FileRows {
 public:
  CsvRows(const std::string& file, Shape& shape)
      : shape_(shape), rows_(file, [&shape](std::string_view text, Index most, bool complete) {
          return csv::first_rows(text, shape.dialect, most, complete);
        }) {
    if (!shape_.known) {
      find_shape();
    } else {
      skip_names();
    }
  }

  std::optional<Dataset> next(Index most) override {
    if (first_ && first_->rows() - names() <= most) {
      const Dataset out = csv::assemble(*first_, names(), first_types_, shape_.options);
      first_.reset();
      return out;
    }
    if (first_) go_to(0);
    const std::optional<TextRows::Block> block = rows_.take(most);
    if (!block) return std::nullopt;
    require_no_zero(*block);
    const csv::Scan scan({sheet_of(*block)}, shape_.dialect, csv::Scan::FirstLines::values, shape_.types.names.size());
    return csv::assemble(scan, 0, csv::types_of_rows(scan, 0, shape_.types, shape_.options), shape_.options);
  }

  Index pass(Index most) override {
    if (first_) go_to(0);
    const std::optional<TextRows::Block> block = rows_.take(most);
    return block ? block->rows : 0;
  }

  void go_to(Index row) override {
    first_.reset();
    rows_.go_to(row + names());
  }

  double passed() const override { return rows_.window().passed(); }

 private:
  Index names() const { return shape_.types.header ? 1 : 0; }

  csv::Sheet sheet_of(const TextRows::Block& block) const {
    std::string_view text = block.text;
    if (block.row == 0) text = csv::text_of(text, rows_.window().name());
    return {text, rows_.window().name(), block.row, block.line};
  }

  void require_no_zero(const TextRows::Block& block) const {
    if (block.text.find('\0') == std::string_view::npos) return;
    fail(ErrorKind::data, "{}: not a text file (a byte behind line {} is zero); save it as UTF-8 text",
         rows_.window().name(), block.line);
  }

  [[noreturn]] void fail_empty() const {
    fail(ErrorKind::data, "{}: the file is empty; it needs at least one line of values", rows_.window().name());
  }

  void find_shape() {
    constexpr Index kFirst = Index{1} << 17;
    const std::string_view beginning = rows_.window().text();
    const bool tsv = shape_.options.format == Format::tsv;
    // Where there is none, it does not matter what a quote means.
    shape_.dialect = {tsv ? '\t' : csv::commonest_separator(beginning), true};
    const std::optional<TextRows::Block> block = rows_.take(kFirst + 1);
    if (!block) fail_empty();
    first_ = std::make_unique<csv::Scan>(std::vector<csv::Sheet>{sheet_of(*block)}, shape_.dialect);
    shape_.types = csv::types_of(*first_, shape_.options, shape_.with_gaps);
    first_types_ = csv::types_of_rows(*first_, names(), shape_.types, shape_.options);
    shape_.first_fields = first_->first_fields();
    shape_.file = rows_.window().name();
    shape_.known = true;
  }

  // Of another file than the first, or of it again.
  void skip_names() {
    if (!shape_.types.header) return;
    const std::optional<TextRows::Block> line = rows_.take(1);
    if (!line) return;
    const csv::Scan scan({sheet_of(*line)}, shape_.dialect);
    csv::require_names(scan.first_fields(), rows_.window().name(), shape_.first_fields, shape_.file);
  }

  Shape& shape_;
  TextRows rows_;
  std::unique_ptr<csv::Scan> first_;  // of the rows that decided the shape, until they are given or passed
  csv::Types first_types_;            // of those
};

struct CsvFormat final : RowReader::Format {
  CsvFormat(const ReadOptions& options, const std::vector<std::string>& with_gaps) : shape{options, with_gaps} {}
  std::unique_ptr<FileRows> open(const std::string& file) override { return std::make_unique<CsvRows>(file, shape); }
  std::unique_ptr<Format> copy() const override { return std::make_unique<CsvFormat>(*this); }
  Shape shape;
};

}  // namespace

std::unique_ptr<RowReader::Format> csv_rows(const ReadOptions& options, const std::vector<std::string>& with_gaps) {
  return std::make_unique<CsvFormat>(options, with_gaps);
}

}  // namespace mercer
