// NPY: "\x93NUMPY", a version, the length of the header, the header as a Python dictionary, the values.
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/fail.hpp"
#include "io/readers.hpp"

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

struct Source {
  const char* at;
  Index rows, cols;
  bool fortran_order;
  std::shared_ptr<const void> owner;
  const std::string& name;
  const ReadOptions& options;
};

// Values of type From, in C order, as Real.
template <class From, class Real>
Dataset convert(const Source& source) {
  auto values = std::make_shared<std::vector<Real>>(static_cast<std::size_t>(source.rows * source.cols));
  for (Index i = 0; i < source.rows; ++i) {
    for (Index j = 0; j < source.cols; ++j) {
      const Index place = source.fortran_order ? j * source.rows + i : i * source.cols + j;
      From value;
      std::memcpy(&value, source.at + place * static_cast<Index>(sizeof(From)), sizeof(From));
      if constexpr (std::is_integral_v<From> && sizeof(From) == 8) {
        if (std::abs(static_cast<double>(value)) >= 0x1p53) {
          fail(ErrorKind::data, "{}: row {}, column {}: {} is too large to be kept exactly (2^53); rescale the column",
               source.name, i + 1, j + 1, value);
        }
      }
      (*values)[static_cast<std::size_t>(i * source.cols + j)] = static_cast<Real>(value);
    }
  }
  return dense_dataset(BasicMatrixView<const Real>(values->data(), source.rows, source.cols), values, source.name,
                       source.options);
}

// Values that are already as the points want them stay where they are.
template <class Real>
Dataset in_place(const Source& source) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(source.at) % alignof(Real) == 0;
  if (source.fortran_order || !aligned) return convert<Real, Real>(source);
  const auto* const data = reinterpret_cast<const Real*>(source.at);
  return dense_dataset(BasicMatrixView<const Real>(data, source.rows, source.cols), source.owner, source.name,
                       source.options);
}

struct Type {
  std::string_view name;
  std::size_t width;
  Dataset (*read)(const Source&);
};

constexpr Type types[] = {
    {"<f8", 8, in_place<double>},
    {"<f4", 4, in_place<float>},
    {"|b1", 1, convert<std::uint8_t, float>},
    {"|u1", 1, convert<std::uint8_t, float>},
    {"|i1", 1, convert<std::int8_t, float>},
    {"<u2", 2, convert<std::uint16_t, float>},
    {"<i2", 2, convert<std::int16_t, float>},
    {"<u4", 4, convert<std::uint32_t, double>},
    {"<i4", 4, convert<std::int32_t, double>},
    {"<u8", 8, convert<std::uint64_t, double>},
    {"<i8", 8, convert<std::int64_t, double>},
};

const Type& find_type(const std::string& type, const std::string& name) {
  for (const Type& known : types) {
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

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

Dataset parse_npy(const Bytes& bytes, const std::string& name, const ReadOptions& options) {
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

  const Type& type = find_type(header.type, name);
  if (header.shape.empty() || header.shape.size() > 2) {
    fail(ErrorKind::data, "{}: has {} dimensions; reshape it to rows and columns", name, header.shape.size());
  }
  // Products are only followed while they are within the file, so they cannot overflow.
  std::uint64_t cells = 1;
  for (const std::uint64_t extent : header.shape) {
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
  const Index n = static_cast<Index>(header.shape[0]);
  const Index d = header.shape.size() == 2 ? static_cast<Index>(header.shape[1]) : 1;
  return type.read({text.data() + start, n, d, header.fortran_order, bytes.owner, name, options});
}

}  // namespace mercer
