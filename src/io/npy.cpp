// NPY: "\x93NUMPY", a version, the length of the header, the header as a Python dictionary, the values.
#include "io/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/fail.hpp"
#include "file/text_window.hpp"
#include "io/row_formats.hpp"

namespace mercer {

static_assert(std::endian::native == std::endian::little, "npy files are mapped as they are");

namespace {

struct Header {
  std::string type;  // "<f8"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

// Reads {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, keys in any order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  Header parse() {
    Header header;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') {
          fail(ErrorKind::data, "{}: holds records of several fields; save one plain array of numbers", name_);
        }
        header.type = string();
        has_type = true;
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        has_order = true;
      } else if (key == "shape") {
        header.shape = tuple();
        has_shape = true;
      } else {
        damaged();
      }
      if (!accept(',') && peek() != '}') damaged();
    }
    if (!has_type || !has_order || !has_shape || peek() != '\0') damaged();
    return header;
  }

 private:
  [[noreturn]] void damaged() const {
    fail(ErrorKind::file, "{}: the NPY header is damaged near {}; save the file again", name_, shown(rest_));
  }
  char peek() {
    const std::size_t at = rest_.find_first_not_of(" \n\t");
    rest_.remove_prefix(at == rest_.npos ? rest_.size() : at);
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool accept(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) damaged();
  }
  bool accept_word(std::string_view word) {
    peek();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool boolean() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    damaged();
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') damaged();
    const std::size_t end = rest_.find(quote, 1);
    if (end == rest_.npos) damaged();
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> numbers;
    expect('(');
    while (!accept(')')) {
      peek();
      std::uint64_t value = 0;
      const auto [next, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc()) damaged();
      rest_.remove_prefix(static_cast<std::size_t>(next - rest_.data()));
      accept('L');  // Python 2 wrote (3L, 4L)
      numbers.push_back(value);
      if (!accept(',') && peek() != ')') damaged();
    }
    return numbers;
  }

  std::string_view rest_;
  const std::string& name_;
};

// Values of type From in those rows, as Real, row by row.
template <class From, class Real>
void convert(const NpyArray& array, Range rows, Real* out) {
  for (Index i = rows.begin; i < rows.end; ++i) {
    for (Index j = 0; j < array.cols; ++j) {
      const Index place = array.fortran_order ? j * array.rows + i : i * array.cols + j;
      From value;
      std::memcpy(&value, array.values.text.data() + place * static_cast<Index>(sizeof(From)), sizeof(From));
      if constexpr (std::is_integral_v<From> && sizeof(From) == 8) {
        if (std::abs(static_cast<double>(value)) >= 0x1p53) {
          fail(ErrorKind::data, "{}: row {}, column {}: {} is too large to be kept exactly (2^53); rescale the column",
               array.name, i + 1, j + 1, value);
        }
      }
      *out++ = static_cast<Real>(value);
    }
  }
}

}  // namespace

struct NpyType {
  std::string_view name;
  std::size_t width;
  void (*to_doubles)(const NpyArray&, Range, double*);
  void (*to_floats)(const NpyArray&, Range, float*) = nullptr;  // where that loses nothing
};

namespace {

constexpr NpyType types[] = {
    {"<f8", 8, convert<double, double>},
    {"<f4", 4, convert<float, double>, convert<float, float>},
    {"|b1", 1, convert<std::uint8_t, double>, convert<std::uint8_t, float>},
    {"|u1", 1, convert<std::uint8_t, double>, convert<std::uint8_t, float>},
    {"|i1", 1, convert<std::int8_t, double>, convert<std::int8_t, float>},
    {"<u2", 2, convert<std::uint16_t, double>, convert<std::uint16_t, float>},
    {"<i2", 2, convert<std::int16_t, double>, convert<std::int16_t, float>},
    {"<u4", 4, convert<std::uint32_t, double>},
    {"<i4", 4, convert<std::int32_t, double>},
    {"<u8", 8, convert<std::uint64_t, double>},
    {"<i8", 8, convert<std::int64_t, double>},
};

void convert_to(const NpyArray& array, Range rows, double* out) { array.type->to_doubles(array, rows, out); }
void convert_to(const NpyArray& array, Range rows, float* out) { array.type->to_floats(array, rows, out); }

const NpyType& find_type(const std::string& type, const std::string& name) {
  for (const NpyType& known : types) {
    if (known.name == type) return known;
  }
  if (type.starts_with('>')) {
    fail(ErrorKind::data,
         "{}: holds big-endian numbers ({}); save it as little-endian: numpy.save(file, a.astype(\"<f8\"))", name,
         shown(type));
  }
  fail(ErrorKind::data, "{}: holds values of type {}; save numbers: numpy.save(file, a.astype(\"<f8\"))", name,
       shown(type));
}

// Values that are already as the points want them stay where they are.
template <class Real>
Dataset rows_as(const NpyArray& array, Range rows, const ReadOptions& options) {
  const char* const start = array.values.text.data();
  const bool same = array.type->name == (std::is_same_v<Real, double> ? "<f8" : "<f4");
  const bool aligned = reinterpret_cast<std::uintptr_t>(start) % alignof(Real) == 0;
  if (same && aligned && !array.fortran_order) {
    const auto* const data = reinterpret_cast<const Real*>(start) + rows.begin * array.cols;
    return dense_dataset(BasicMatrixView<const Real>(data, rows.size(), array.cols), array.values.owner, array.name,
                         options, rows.begin);
  }
  auto values = std::make_shared<std::vector<Real>>(static_cast<std::size_t>(rows.size() * array.cols));
  convert_to(array, rows, values->data());
  return dense_dataset(BasicMatrixView<const Real>(values->data(), rows.size(), array.cols), values, array.name,
                       options, rows.begin);
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

NpyArray open_npy(const Bytes& bytes, const std::string& name, bool may_be_empty) {
  const std::string_view text = bytes.text;
  if (!text.starts_with("\x93NUMPY")) fail(ErrorKind::file, "{}: not an NPY file; check its format", name);
  const auto truncated = [&](const std::string& expected) {
    fail(ErrorKind::file, "{}: truncated: {} bytes expected, {} found; save or fetch it again", name, expected,
         text.size());
  };
  if (text.size() < 12) truncated("at least 12");
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3) {
    fail(ErrorKind::file, "{}: NPY format version {} is unknown (1 to 3 are read); save it again", name, version);
  }
  const std::size_t prefix = version == 1 ? 10 : 12;
  const std::uint64_t length = little_endian(text.substr(8, prefix - 8));
  if (length > text.size() - prefix) truncated(std::to_string(prefix + length));
  const Header header = HeaderParser(text.substr(prefix, length), name).parse();
  const std::size_t start = prefix + length;

  const NpyType& type = find_type(header.type, name);
  if (header.shape.empty() || header.shape.size() > 2) {
    fail(ErrorKind::data, "{}: has {} dimensions; reshape it to rows and columns", name, header.shape.size());
  }
  // Products are only followed while they are within the file, so they cannot overflow.
  std::uint64_t cells = 1;
  for (const std::uint64_t extent : header.shape) {
    if (extent == 0 && may_be_empty) return {&type, 0, 0, false, bytes, name};
    if (extent == 0) fail(ErrorKind::data, "{}: one of its dimensions is 0: it holds no values", name);
    if (extent > text.size() / cells) truncated("more than " + std::to_string(text.size()));
    cells *= extent;
  }
  const std::uint64_t expected = start + cells * type.width;
  if (expected > text.size()) truncated(std::to_string(expected));
  if (expected < text.size()) {
    fail(ErrorKind::file, "{}: {} bytes expected from its header, {} found; save one array per file", name, expected,
         text.size());
  }
  return {&type,
          static_cast<Index>(header.shape[0]),
          header.shape.size() == 2 ? static_cast<Index>(header.shape[1]) : 1,
          header.fortran_order,
          {text.substr(start), bytes.owner},
          name};
}

Dataset rows_of(const NpyArray& array, Range rows, const ReadOptions& options) {
  return array.type->to_floats != nullptr ? rows_as<float>(array, rows, options)
                                          : rows_as<double>(array, rows, options);
}

namespace {

// One array after the other.
template <class Real>
Dataset stacked(std::span<const NpyArray> arrays, const ReadOptions& options) {
  Index rows = 0;
  for (const NpyArray& array : arrays) rows += array.rows;
  const Index cols = arrays.front().cols;
  auto values = std::make_shared<std::vector<Real>>(static_cast<std::size_t>(rows * cols));
  Real* out = values->data();
  for (const NpyArray& array : arrays) {
    convert_to(array, {0, array.rows}, out);
    check_finite(BasicMatrixView<const Real>(out, array.rows, cols), array.name, 0);
    out += array.rows * cols;
  }
  return dense_dataset(BasicMatrixView<const Real>(values->data(), rows, cols), values, arrays.front().name, options);
}

}  // namespace

Dataset parse_npy(std::span<const FileContent> files, const ReadOptions& options) {
  std::vector<NpyArray> arrays;
  for (const FileContent& file : files) {
    NpyArray array = open_npy(file.bytes, file.name, files.size() > 1);
    if (array.rows == 0) continue;
    if (!arrays.empty() && array.cols != arrays[0].cols) {
      fail(ErrorKind::data, "{}: has {} columns, {} has {}; give all the same", array.name, array.cols, arrays[0].name,
           arrays[0].cols);
    }
    arrays.push_back(std::move(array));
  }
  if (arrays.empty()) fail(ErrorKind::data, "{}: neither this array nor the others hold a row", files[0].name);
  if (arrays.size() == 1) return rows_of(arrays[0], {0, arrays[0].rows}, options);
  const bool floats =
      std::all_of(arrays.begin(), arrays.end(), [](const NpyArray& array) { return array.type->to_floats != nullptr; });
  return floats ? stacked<float>(arrays, options) : stacked<double>(arrays, options);
}

namespace {

// At most so many values at once, as rows of text are limited by their bytes.
constexpr Index kMostValues = Index{1} << 23;

class NpyRows final : public FileRows {
 public:
  NpyRows(const std::string& file, const ReadOptions& options)
      : file_(file), array_(open_npy(file_.file(), file, true)), options_(options) {}

  Index columns() const { return array_.cols; }
  bool is_empty() const { return array_.rows == 0; }

  std::optional<Dataset> next(Index most) override {
    const Range rows = take(most);
    if (rows.size() == 0) return std::nullopt;
    return rows_of(array_, rows, options_);
  }
  Index pass(Index most) override { return take(most).size(); }
  void go_to(Index row) override { row_ = row; }
  double passed() const override {
    return static_cast<double>(row_) / static_cast<double>(std::max<Index>(array_.rows, 1));
  }

 private:
  Range take(Index most) {
    file_.require_unchanged();
    const Index first = row_;
    if (!array_.fortran_order) let_go({given_, first});
    given_ = first;
    const Index room = std::max<Index>(1, kMostValues / std::max<Index>(array_.cols, 1));
    row_ += std::min({most, room, array_.rows - row_});
    return {first, row_};
  }

  // Rows that were given before need not stay in memory.
  void let_go(Range rows) {
    const auto start = static_cast<std::size_t>(array_.values.text.data() - file_.file().text.data());
    const std::size_t width = array_.values.text.size() / static_cast<std::size_t>(std::max<Index>(array_.rows, 1));
    if (rows.size() > 0)
      file_.let_go(start + static_cast<std::size_t>(rows.begin) * width,
                   start + static_cast<std::size_t>(rows.end) * width);
  }

  TextWindow file_;
  NpyArray array_;
  ReadOptions options_;
  Index given_ = 0, row_ = 0;
};

struct NpyFormat final : RowReader::Format {
  explicit NpyFormat(const ReadOptions& given) : options(given) {}

  std::unique_ptr<FileRows> open(const std::string& file) override {
    auto rows = std::make_unique<NpyRows>(file, options);
    if (rows->is_empty()) return rows;
    if (columns == 0) {
      columns = rows->columns();
      first = file;
    }
    if (rows->columns() != columns) {
      fail(ErrorKind::data, "{}: has {} columns, {} has {}; give all the same", file, rows->columns(), first, columns);
    }
    return rows;
  }
  std::unique_ptr<Format> copy() const override { return std::make_unique<NpyFormat>(*this); }

  ReadOptions options;
  Index columns = 0;
  std::string first;
};

}  // namespace

std::unique_ptr<RowReader::Format> npy_rows(const ReadOptions& options) { return std::make_unique<NpyFormat>(options); }

}  // namespace mercer
