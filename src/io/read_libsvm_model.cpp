// LIBSVM's model file: lines "key values" to a line "SV", then a line "coefficients... column:value ..." for each
// support vector. With k classes each has k-1 coefficients, one for each pair its class is in.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "file/bytes.hpp"
#include "io/libsvm_kernel.hpp"
#include "io/libsvm_model.hpp"
#include "io/readers.hpp"

namespace mercer {

namespace {

using namespace detail;

// alpha has a column for each pair of classes, so it can be far larger than the file.
constexpr Index kLargestAlpha = Index{1} << 27;

struct Header {
  const SvmType* type = nullptr;
  LibsvmKernel kernel;
  Index classes = 0, vectors = -1;
  Vector rho, slopes, offsets;
  std::vector<std::string> labels;
  std::vector<Index> vectors_of;  // of each class
  bool density_marks = false;

  Index outputs() const { return type->classifies ? classes * (classes - 1) / 2 : 1; }
  Index coefficients() const { return type->classifies ? classes - 1 : 1; }
  bool precomputed() const { return kernel.type == "precomputed"; }
};

// Reads the lines in order and knows where it is, for errors.
class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  template <class... Args>
  [[noreturn]] void wrong(fmt::format_string<Args...> text, Args&&... args) const {
    fail(ErrorKind::file, "{}: line {}: {}", name_, line_, fmt::format(text, std::forward<Args>(args)...));
  }

  Header header() {
    Header h;
    while (true) {
      if (!next_line()) wrong("the file ends before the line \"SV\"; it is cut short or no LIBSVM model");
      const std::string_view key = word();
      if (key != "SV" && !take(key, h)) wrong("{} begins no line of a LIBSVM model", shown(key));
      if (!left_.empty()) wrong("{} is more than {} takes", shown(left_), key);
      if (key == "SV") break;
    }
    check(h);
    return h;
  }

  struct Vectors {
    Matrix coefficients;
    std::vector<Index> serial;  // of precomputed kernels: numbers of training points, from 0
    SparseMatrix x;
  };

  Vectors vectors(const Header& h) {
    Vectors out;
    Vector coefficients;
    Index count = 0;
    while (next_line()) {
      if (left_.empty()) continue;
      if (++count > h.vectors) wrong("one support vector more than total_sv = {}", h.vectors);
      for (Index c = 0; c < h.coefficients(); ++c) coefficients.push_back(real(word()));
      h.precomputed() ? take_serial(out) : take_row(out.x);
    }
    if (count != h.vectors) wrong("the file ends after {} of {} support vectors; it is cut short", count, h.vectors);
    out.coefficients = Matrix(MatrixView(coefficients.data(), count, h.coefficients()));
    out.x.rows = count;
    return out;
  }

 private:
  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    left_ = trim(rest_.substr(0, end));
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++line_;
    return true;
  }
  std::string_view word() {
    const std::size_t end = std::min(left_.find_first_of(" \t"), left_.size());
    const std::string_view out = left_.substr(0, end);
    left_ = trim(left_.substr(end));
    return out;
  }
  double real(std::string_view word) const {
    double value = 0;
    if (take_number(word.data(), word.data() + word.size(), value) != word.data() + word.size() || word.empty()) {
      wrong("{} is no finite number", shown(word));
    }
    return value;
  }
  Index whole(std::string_view word, Index least) const {
    std::int32_t value = 0;
    const auto [next, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || next != word.data() + word.size() || value < least) {
      wrong("{} is no whole number of at least {}", shown(word), least);
    }
    return value;
  }
  Vector reals() {
    Vector out;
    while (!left_.empty()) out.push_back(real(word()));
    return out;
  }

  bool take(std::string_view key, Header& h) {
    constexpr Index any = std::numeric_limits<std::int32_t>::min();
    if (key == "svm_type") {
      const std::string_view type = word();
      const auto found =
          std::find_if(kSvmTypes.begin(), kSvmTypes.end(), [&](const SvmType& t) { return t.libsvm == type; });
      if (found == kSvmTypes.end()) wrong("no svm_type is called {}", shown(type));
      h.type = &*found;
    } else if (key == "kernel_type") {
      h.kernel.type = word();
    } else if (key == "degree") {
      h.kernel.degree = static_cast<int>(whole(word(), 0));
    } else if (key == "gamma") {
      h.kernel.gamma = real(word());
    } else if (key == "coef0") {
      h.kernel.coef0 = real(word());
    } else if (key == "nr_class") {
      h.classes = whole(word(), 1);
    } else if (key == "total_sv") {
      h.vectors = whole(word(), 0);
    } else if (key == "rho") {
      h.rho = reals();
    } else if (key == "probA") {
      h.slopes = reals();
    } else if (key == "probB") {
      h.offsets = reals();
    } else if (key == "label") {
      h.labels.clear();
      while (!left_.empty()) h.labels.push_back(std::to_string(whole(word(), any)));
    } else if (key == "nr_sv") {
      h.vectors_of.clear();
      while (!left_.empty()) h.vectors_of.push_back(whole(word(), 0));
    } else if (key == "prob_density_marks") {
      reals();
      h.density_marks = true;
    } else {
      return false;
    }
    return true;
  }

  void check(const Header& h) const {
    if (h.type == nullptr || h.kernel.type.empty() || h.vectors < 0) {
      wrong("svm_type, kernel_type and total_sv must come before \"SV\"");
    }
    if (h.type->classifies) {
      if (h.classes < 2) wrong("a classifier of {} class; train with at least two", h.classes);
      if (static_cast<Index>(h.labels.size()) != h.classes) {
        wrong("{} labels for nr_class = {}", h.labels.size(), h.classes);
      }
      const Index sum = std::accumulate(h.vectors_of.begin(), h.vectors_of.end(), Index{0});
      if (h.vectors_of.size() != h.labels.size() || sum != h.vectors) {
        wrong("nr_sv must give the support vectors of each of {} classes, {} in all", h.classes, h.vectors);
      }
    }
    const auto outputs = at(h.outputs());
    if (h.rho.size() != outputs) wrong("{} numbers in rho where {} are needed", h.rho.size(), outputs);
    const bool fits = h.type->classifies
                          ? (h.slopes.size() == outputs || h.slopes.empty()) && h.offsets.size() == h.slopes.size()
                          : h.slopes.size() <= 1 && h.offsets.empty();
    if (!fits) wrong("probA and probB must be {} numbers each, or not be there", outputs);
    if (h.vectors > kLargestAlpha / h.outputs()) {
      wrong("{} support vectors of {} classes are more than one-vs-one models here can hold", h.vectors, h.classes);
    }
  }

  // A word "column:value"; returns the column.
  Index entry(double& value) {
    const std::string_view item = word();
    const std::size_t colon = item.find(':');
    if (colon == item.npos) wrong("{} is not column:value", shown(item));
    value = real(item.substr(colon + 1));
    return whole(item.substr(0, colon), 0);
  }
  void take_serial(Vectors& out) {
    double value = 0;
    const bool first = left_.starts_with("0:") && entry(value) == 0;
    if (!first || value != std::floor(value) || value < 1 || value > std::numeric_limits<std::int32_t>::max()) {
      wrong("a support vector of a precomputed kernel is \"coefficients 0:number\"");
    }
    out.serial.push_back(static_cast<Index>(value) - 1);
  }
  void take_row(SparseMatrix& x) {
    Index previous = 0;
    while (!left_.empty()) {
      double value = 0;
      const Index column = entry(value);
      if (column <= previous) wrong("column {} after {}; columns count from 1 and increase", column, previous);
      previous = column;
      x.cols = std::max(x.cols, column);
      if (value == 0) continue;
      x.columns.push_back(static_cast<std::int32_t>(column - 1));
      x.values.push_back(value);
    }
    x.offsets.push_back(static_cast<Index>(x.values.size()));
  }

  std::string_view rest_, left_;
  const std::string& name_;
  Index line_ = 0;
};

// From LIBSVM's k-1 coefficients to a column for each pair: the vectors of class i hold the coefficient of the pair
// with j at j - 1 if i < j, else at j.
Matrix pairs_of(const Header& h, const Matrix& coefficients) {
  if (!h.type->classifies) return coefficients;
  Matrix alpha(h.vectors, h.outputs());
  Index first = 0;
  for (Index own = 0; own < h.classes; ++own) {
    const Index last = first + h.vectors_of[at(own)];
    Index pair = 0;
    for (Index i = 0; i < h.classes; ++i) {
      for (Index j = i + 1; j < h.classes; ++j, ++pair) {
        if (own != i && own != j) continue;
        const Index source = own == i ? j - 1 : i;
        for (Index v = first; v < last; ++v) alpha(v, pair) = coefficients(v, source);
      }
    }
    first = last;
  }
  return alpha;
}

// Sparse rows that are mostly full are faster as dense ones.
Points centres_of(SparseMatrix x) {
  const double cells = static_cast<double>(x.rows) * static_cast<double>(x.cols);
  if (static_cast<double>(x.values.size()) < 0.5 * cells) return rows(std::move(x));
  Matrix dense(x.rows, x.cols);
  for (Index i = 0; i < x.rows; ++i) {
    for (Index p = x.offsets[at(i)]; p < x.offsets[at(i + 1)]; ++p) dense(i, x.columns[at(p)]) = x.values[at(p)];
  }
  return rows(std::move(dense));
}

// Without a kernel, centres are known by the numbers of the training points, which must increase.
void order_by_number(const std::vector<Index>& serial, Expansion::Parts& f) {
  std::vector<Index> order(serial.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return serial[at(a)] < serial[at(b)]; });
  Matrix alpha = Matrix::uninitialized(f.alpha.rows(), f.alpha.cols());
  for (std::size_t i = 0; i < order.size(); ++i) {
    f.support.push_back(serial[at(order[i])]);
    std::copy_n(f.alpha.row(order[i]), alpha.cols(), alpha.row(static_cast<Index>(i)));
  }
  f.alpha = std::move(alpha);
  f.training_size = f.support.empty() ? 0 : f.support.back() + 1;
}

Model model_of(const Header& h, Reader::Vectors vectors, Index columns) {
  Expansion::Parts f;
  f.alpha = pairs_of(h, vectors.coefficients);
  for (const double rho : h.rho) f.bias.push_back(-rho);
  Schema inputs;
  if (h.precomputed()) {
    order_by_number(vectors.serial, f);
  } else {
    f.kernel = to_kernel(h.kernel);
    vectors.x.cols = std::max({vectors.x.cols, columns, Index{1}});
    f.centres = centres_of(std::move(vectors.x));
    inputs = Schema::of(*f.centres);
  }
  Model::Parts p{.machine = std::string(h.type->machine), .settings = {}, .f = Expansion(std::move(f))};
  p.reading = h.type->reading;
  p.inputs = std::move(inputs);
  p.report.notes.emplace_back("read from a LIBSVM model, which does not say how its training went");
  if (h.type->classifies) {
    p.classes = h.labels;
    if (h.classes == 2) std::swap(p.classes[0], p.classes[1]);
    if (h.classes > 2) p.reading = Reading::votes;
    if (!h.slopes.empty()) p.calibration.kind = Calibration::Kind::sigmoids;
    for (std::size_t i = 0; i < h.slopes.size(); ++i) p.calibration.sigmoids.push_back({h.slopes[i], h.offsets[i]});
  } else if (!h.slopes.empty()) {
    p.report.add(kLaplaceScale, h.slopes.front());
  }
  if (h.density_marks)
    p.report.notes.emplace_back("its prob_density_marks, probabilities of one-class models, are left out");
  return Model(std::move(p));
}

}  // namespace

Model parse_libsvm_model(std::string_view text, const std::string& name, Index columns) {
  if (!text.starts_with("svm_type")) {
    fail(ErrorKind::file, "{}: is no LIBSVM model: its first line does not begin with svm_type", name);
  }
  try {
    Reader reader(text, name);
    const Header header = reader.header();
    return model_of(header, reader.vectors(header), columns);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::file) throw;
    fail(ErrorKind::file, "{}: {}", name, error.message());
  } catch (const std::bad_alloc&) {
    fail(ErrorKind::file, "{}: does not fit into memory", name);
  }
}

Model read_libsvm_model(const std::string& path, Index columns) {
  return parse_libsvm_model(read_bytes(path).text, display_name(path), columns);
}

}  // namespace mercer
