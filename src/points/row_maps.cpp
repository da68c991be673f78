#include "mercer/row_maps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "points/pictures.hpp"
#include "points/rep.hpp"
#include "points/streamed.hpp"

namespace mercer {

namespace detail {

// What stands between the parentheses.
struct MapNumbers {
  Index height = 0, width = 0;  // of a picture
  std::optional<double> number = {};
  std::string word = {};
};

using RowFunction = void (*)(const MapNumbers& given, Index copy, std::span<const double> from, std::span<double> to);

struct MapEntry {
  RowMapRow row;
  bool is_picture = false;    // its first argument is a size
  bool takes_number = false;  // then a number may stand behind it, or must
  bool needs_number = false;
  std::vector<std::string> words = {};                // or one of these, of which the first goes without saying
  std::string (*fault)(const MapNumbers&) = nullptr;  // what it takes instead of these numbers; empty: these
  Index (*copies)(const MapNumbers&) = nullptr;       // null: 1
  RowFunction map = nullptr;
  bool moves_pixels = false;
};

}  // namespace detail

namespace {

using Numbers = detail::MapNumbers;
using Entry = detail::MapEntry;

detail::Picture picture(const Numbers& given, std::span<const double> pixels) {
  return {given.height, given.width, pixels};
}

// ---- shift ----

std::string shift_fault(const Numbers& given) {
  const double most = static_cast<double>(std::min(given.height, given.width)) - 1, by = *given.number;
  if (by == std::floor(by) && by >= 1 && by <= most) return "";
  if (most < 1) return "pictures of at least two rows and columns";
  return fmt::format("a whole number of pixels from 1 to {}, which leave some of the picture", most);
}

Index shift_copies(const Numbers& given) {
  const auto side = 2 * static_cast<Index>(*given.number) + 1;
  return side * side - 1;
}

void shift(const Numbers& given, Index copy, std::span<const double> from, std::span<double> to) {
  const auto most = static_cast<Index>(*given.number), side = 2 * most + 1;
  const Index place = copy < shift_copies(given) / 2 ? copy : copy + 1;  // not the one that stays where it is
  detail::shifted(picture(given, from), place / side - most, place % side - most, to);
}

// ---- rotate and scale: there and back ----

Index two(const Numbers&) { return 2; }

std::string rotate_fault(const Numbers& given) {
  return *given.number > 0 && *given.number < 180 ? "" : "degrees, above 0 and below 180";
}

void rotate(const Numbers& given, Index copy, std::span<const double> from, std::span<double> to) {
  detail::rotated(picture(given, from), copy == 0 ? *given.number : -*given.number, to);
}

std::string scale_fault(const Numbers& given) {
  return *given.number > 1 && *given.number <= 1000 ? "" : "a factor above 1, at most 1000";
}

void scale(const Numbers& given, Index copy, std::span<const double> from, std::span<double> to) {
  detail::scaled(picture(given, from), copy == 0 ? *given.number : 1 / *given.number, to);
}

void flip(const Numbers& given, Index, std::span<const double> from, std::span<double> to) {
  detail::flipped(picture(given, from), given.word == "up_down", to);
}

void deskew(const Numbers& given, Index, std::span<const double> from, std::span<double> to) {
  detail::deskewed(picture(given, from), to);
}

// ---- unit_norm ----

std::string levels_fault(const Numbers& given) {
  if (!given.number) return "";
  const double levels = *given.number;
  return levels == std::floor(levels) && levels >= 1 && levels <= 1e9 ? "" : "a whole number of levels from 1 to 1e9";
}

void unit_norm(const Numbers& given, Index, std::span<const double> from, std::span<double> to) {
  double largest = 0, squares = 0;
  for (const double v : from) largest = std::max(largest, std::abs(v));
  for (const double v : from) squares += largest > 0 ? (v / largest) * (v / largest) : 0;
  const double norm = largest * std::sqrt(squares);
  for (std::size_t k = 0; k < from.size(); ++k) {
    to[k] = norm > 0 ? from[k] / norm : 0;
    if (given.number) to[k] = std::nearbyint(to[k] * *given.number) / *given.number;
  }
}

const std::vector<Entry>& entries() {
  using Use = RowMap::Use;
  static const std::vector<Entry> all = {
      {.row = {"deskew", "deskew(ROWSxCOLUMNS)", Use::preparation,
               "a picture sheared upright by the second moments of its ink, and its centroid moved to the middle; "
               "bilinear",
               "without ink it stays as it is", "deskew(28x28)"},
       .is_picture = true,
       .map = deskew,
       .moves_pixels = true},
      {.row = {"unit_norm", "unit_norm, unit_norm(LEVELS)", Use::preparation,
               "x / |x|; with LEVELS rounded to multiples of 1/LEVELS, which kernels of whole numbers take fast",
               "a row of zeros stays one", "unit_norm(800)"},
       .takes_number = true,
       .fault = levels_fault,
       .map = unit_norm},
      {.row = {"shift", "shift(ROWSxCOLUMNS, PIXELS)", Use::invariance,
               "a picture moved by up to PIXELS down, up, left and right: (2 PIXELS + 1)^2 - 1 copies",
               "the ground comes in where pixels leave", "shift(28x28, 1)"},
       .is_picture = true,
       .takes_number = true,
       .needs_number = true,
       .fault = shift_fault,
       .copies = shift_copies,
       .map = shift},
      {.row = {"rotate", "rotate(ROWSxCOLUMNS, DEGREES)", Use::invariance,
               "a picture turned about its middle by DEGREES against and with the clock: 2 copies; bilinear",
               "the ground comes in at the corners", "rotate(28x28, 10)"},
       .is_picture = true,
       .takes_number = true,
       .needs_number = true,
       .fault = rotate_fault,
       .copies = two,
       .map = rotate},
      {.row = {"scale", "scale(ROWSxCOLUMNS, FACTOR)", Use::invariance,
               "a picture FACTOR times larger and smaller about its middle: 2 copies; bilinear",
               "the ground comes in around a smaller one", "scale(28x28, 1.1)"},
       .is_picture = true,
       .takes_number = true,
       .needs_number = true,
       .fault = scale_fault,
       .copies = two,
       .map = scale},
      {.row = {"flip", "flip(ROWSxCOLUMNS), flip(ROWSxCOLUMNS, up_down)", Use::invariance,
               "a picture mirrored left to right, or up_down: 1 copy", "", "flip(32x32)"},
       .is_picture = true,
       .words = {"left_right", "up_down"},
       .map = flip},
  };
  return all;
}

// The pieces between commas that stand outside parentheses.
std::vector<std::string> at_commas(std::string_view text) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth <= 0) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  for (std::string& piece : out) piece = trim(piece);
  return out;
}

std::optional<Index> whole_number(std::string_view text) {
  const bool digits = !text.empty() && text.size() <= 6 && text.find_first_not_of("0123456789") == text.npos;
  return digits ? std::optional(static_cast<Index>(*parse_number(text))) : std::nullopt;
}

class Reader {
 public:
  Reader(const Entry& entry, const std::string& text) : entry_(entry), text_(text) {}

  Numbers read(std::vector<std::string> arguments) const {
    Numbers out;
    auto next = arguments.begin();
    if (entry_.is_picture) {
      if (next == arguments.end()) wrong("it needs the size of a picture");
      const std::size_t cross = next->find('x');
      const std::string_view size = *next;
      const auto height = whole_number(size.substr(0, cross));
      const auto width = cross == size.npos ? std::nullopt : whole_number(size.substr(cross + 1));
      if (!height || !width || *height == 0 || *width == 0) {
        wrong(
            fmt::format("the size of a picture is ROWSxCOLUMNS, whole numbers from 1 to 999999, not {}", quoted(size)));
      }
      out.height = *height;
      out.width = *width;
      ++next;
    }
    if (next != arguments.end() && !entry_.words.empty()) {
      if (std::ranges::find(entry_.words, *next) == entry_.words.end()) {
        wrong(fmt::format("{} is none of {}", quoted(*next), fmt::join(entry_.words, ", ")));
      }
      if (*next != entry_.words.front()) out.word = *next;
      ++next;
    } else if (next != arguments.end() && entry_.takes_number) {
      out.number = parse_number(*next);
      if (!out.number || !std::isfinite(*out.number)) wrong(fmt::format("{} is no number", quoted(*next)));
      ++next;
    }
    if (next != arguments.end()) wrong(fmt::format("it takes no {}", quoted(*next)));
    if (entry_.needs_number && !out.number) wrong("a number is missing");
    if (entry_.fault != nullptr) {
      if (const std::string fault = entry_.fault(out); !fault.empty()) wrong("it takes " + fault);
    }
    return out;
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    fail(ErrorKind::usage, "{}: {}; write {}, such as {}", text_, what, entry_.row.signature, entry_.row.example);
  }

  const Entry& entry_;
  const std::string& text_;
};

std::string text_of(const Entry& entry, const Numbers& given) {
  std::vector<std::string> arguments;
  if (entry.is_picture) arguments.push_back(fmt::format("{}x{}", given.height, given.width));
  if (given.number) arguments.push_back(number(*given.number));
  if (!given.word.empty()) arguments.push_back(given.word);
  return arguments.empty() ? entry.row.name : fmt::format("{}({})", entry.row.name, fmt::join(arguments, ", "));
}

const Entry& entry_named(const std::string& name, const std::string& text) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.row.name == name) return entry;
    names.push_back(entry.row.name);
  }
  fail(ErrorKind::usage, "{}: no map of rows is called {}; there are {}{}", text, quoted(name), fmt::join(names, ", "),
       did_you_mean(name, names));
}

}  // namespace

struct RowMap::Made {
  std::string text;
  const Entry* entry = nullptr;  // null: a function
  Numbers given = {};
  std::function<Matrix(MatrixView)> function = {};

  Matrix rows(MatrixView x, Index copy) const {
    if (function) return called(x);
    Matrix out = Matrix::uninitialized(x.rows(), x.cols());
    constexpr Index kAtOnce = 64;
    parallel_for((x.rows() + kAtOnce - 1) / kAtOnce, thread_count(0), {}, "prepare", [&](Index piece, int) {
      for (Index i = piece * kAtOnce; i < std::min(x.rows(), (piece + 1) * kAtOnce); ++i) {
        entry->map(given, copy, {x.row(i), at(x.cols())}, {out.row(i), at(x.cols())});
      }
    });
    return out;
  }

  Matrix called(MatrixView x) const {
    Matrix out = function(x);
    if (out.rows() != x.rows() || out.cols() != x.cols()) {
      fail(ErrorKind::shape, "{}: it made {} rows of {} numbers out of {} rows of {}; a map of rows keeps both", text,
           out.rows(), out.cols(), x.rows(), x.cols());
    }
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index k = 0; k < out.cols(); ++k) {
        if (std::isfinite(out(i, k))) continue;
        fail(ErrorKind::data, "{}: it made {} of column {} of row {}; finite numbers are needed", text, out(i, k),
             k + 1, i + 1);
      }
    }
    return out;
  }
};

RowMap::RowMap(std::shared_ptr<const Made> made) : made_(std::move(made)) {}

const std::string& RowMap::str() const { return made_->text; }
RowMap::Use RowMap::use() const { return made_->entry == nullptr ? Use::either : made_->entry->row.use; }
bool RowMap::moves_pixels() const { return made_->entry != nullptr && made_->entry->moves_pixels; }
bool RowMap::is_function() const { return made_->entry == nullptr; }

Index RowMap::copies() const {
  return made_->entry != nullptr && made_->entry->copies != nullptr ? made_->entry->copies(made_->given) : 1;
}

Points RowMap::apply(const Points& x, Index copy) const {
  const Domain domain = x.domain();
  if (domain.kind != "reals") {
    fail(ErrorKind::domain, "{}: it takes rows of numbers, and the inputs are {}", str(), x.rep().describe());
  }
  const Numbers& given = made_->given;
  if (given.height > 0 && given.height * given.width != domain.dimension) {
    fail(ErrorKind::domain, "{}: a picture of {} x {} has {} pixels, and the inputs have {} columns; give their size",
         str(), given.height, given.width, given.height * given.width, domain.dimension);
  }
  if (is_streamed(x)) {
    return streamed_through(x, [map = *this, copy](const Points& some) { return map.apply(some, copy); });
  }
  require_finite(x);
  return named_like(rows(made_->rows(dense_rows(x).values, copy)), x);
}

bool operator==(const RowMap& a, const RowMap& b) {
  return a.made_ == b.made_ || (!a.is_function() && !b.is_function() && a.str() == b.str());
}

RowMap row_map(std::string_view whole_text) {
  const std::string text(trim(whole_text));
  const std::size_t open = text.find('(');
  const std::string name(trim(std::string_view(text).substr(0, open)));
  if (name.empty())
    fail(ErrorKind::usage, "{}: a map of rows begins with its name, as deskew(28x28) does", quoted(text));
  const Entry& entry = entry_named(name, text);
  std::vector<std::string> arguments;
  if (open != std::string::npos) {
    if (text.back() != ')' || text.find(')') != text.size() - 1) {
      fail(ErrorKind::usage, "{}: one parenthesis opens behind the name and one closes at the end", text);
    }
    arguments = split(std::string_view(text).substr(open + 1, text.size() - open - 2), ',');
    if (arguments.size() == 1 && arguments.front().empty()) arguments.clear();
  }
  const Numbers given = Reader(entry, text).read(std::move(arguments));
  return RowMap(std::make_shared<const RowMap::Made>(RowMap::Made{text_of(entry, given), &entry, given}));
}

RowMap row_map(std::string name, std::function<Matrix(MatrixView)> function) {
  return RowMap(std::make_shared<const RowMap::Made>(RowMap::Made{std::move(name), nullptr, {}, std::move(function)}));
}

std::vector<RowMap> row_map_list(std::string_view texts) {
  std::vector<RowMap> out;
  for (const std::string& text : at_commas(texts)) out.push_back(row_map(text));
  return out;
}

std::string str(const std::vector<RowMap>& maps) {
  std::string out;
  for (const RowMap& map : maps) out += (out.empty() ? "" : ", ") + map.str();
  return out;
}

const std::vector<RowMapRow>& row_maps() {
  static const std::vector<RowMapRow> all = [] {
    std::vector<RowMapRow> rows;
    for (const Entry& entry : entries()) rows.push_back(entry.row);
    return rows;
  }();
  return all;
}

}  // namespace mercer
