#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <ostream>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "io/libsvm_kernel.hpp"
#include "io/libsvm_model.hpp"
#include "io/readers.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

using namespace detail;

const SvmType& type_of(const Model::Parts& p) {
  const auto found =
      std::find_if(kSvmTypes.begin(), kSvmTypes.end(), [&](const SvmType& t) { return t.machine == p.machine; });
  if (found == kSvmTypes.end()) {
    fail(ErrorKind::usage, "LIBSVM has no machine \"{}\"; it has svc, nusvc, svr, nusvr and oneclass", p.machine);
  }
  if (p.reading != found->reading && !(found->classifies && p.reading == Reading::votes)) {
    fail(ErrorKind::usage, "LIBSVM knows no {} read as \"{}\"; fit more than two classes one-vs-one", p.machine,
         name_of(p.reading));
  }
  if (!p.scaling.maps.empty()) {
    fail(ErrorKind::usage, "a LIBSVM model cannot hold how its inputs are prepared ({}); prepare them before the fit",
         str(p.scaling.maps));
  }
  if (p.scaling.kind != Scaling::Kind::none) {
    fail(ErrorKind::usage, "a LIBSVM model cannot hold the scaling \"{}\" of its inputs; fit with `scale=none`",
         name_of(p.scaling.kind));
  }
  if (p.f.outputs() < 1 || (!found->classifies && p.f.outputs() != 1)) {
    fail(ErrorKind::usage, "a LIBSVM model has one target; this one has {}", p.f.outputs());
  }
  return *found;
}

int label_of(const std::string& name) {
  int label = 0;
  const char* const end = name.data() + name.size();
  const auto [next, error] = std::from_chars(name.data(), end, label);
  if (error != std::errc() || next != end) {
    fail(ErrorKind::usage, "LIBSVM's labels are whole numbers; the class {} is none: number the classes and fit again",
         shown(name));
  }
  return label;
}

// The support vectors in LIBSVM's order, class by class, with their coefficients.
struct Layout {
  std::vector<int> labels;
  std::vector<Index> vectors_of;
  std::vector<Index> order;
  Matrix coefficients;
};

// The class a support vector belongs to: that of the positive side of the pairs where it counts for it, and of the
// negative side of those where it counts against. -1: of none, it never counts. Throws if there are two.
Index class_of(const double* alpha, Index classes) {
  Index own = -1;
  for (Index i = 0; i < classes; ++i) {
    for (Index j = i + 1; j < classes; ++j, ++alpha) {
      if (*alpha == 0) continue;
      const Index here = *alpha > 0 ? i : j;
      if (own >= 0 && own != here) {
        fail(ErrorKind::usage, "a support vector counts for two classes, which LIBSVM's one-vs-one models cannot say");
      }
      own = here;
    }
  }
  return own;
}

Layout layout_of(const Model::Parts& p, const SvmType& type, double factor) {
  const Matrix& alpha = p.f.parts().alpha;
  Layout out;
  out.order.resize(at(alpha.rows()));
  std::iota(out.order.begin(), out.order.end(), 0);
  out.coefficients = Matrix(alpha.rows(), type.classifies ? static_cast<Index>(p.classes.size()) - 1 : 1);
  if (!type.classifies) {
    for (Index v = 0; v < alpha.rows(); ++v) out.coefficients(v, 0) = factor * alpha(v, 0);
    return out;
  }
  for (const std::string& name : p.classes) out.labels.push_back(label_of(name));
  if (p.reading == Reading::binary)
    std::swap(out.labels[0], out.labels[1]);  // LIBSVM's first label is the positive one
  const auto classes = static_cast<Index>(out.labels.size());
  std::vector<Index> own;
  out.vectors_of.assign(at(classes), 0);
  for (Index v = 0; v < alpha.rows(); ++v) {
    own.push_back(std::max<Index>(0, class_of(alpha.row(v), classes)));
    ++out.vectors_of[at(own.back())];
  }
  std::stable_sort(out.order.begin(), out.order.end(), [&](Index a, Index b) { return own[at(a)] < own[at(b)]; });
  for (Index row = 0; row < alpha.rows(); ++row) {
    const Index v = out.order[at(row)], c = own[at(v)];
    const double* value = alpha.row(v);
    for (Index i = 0; i < classes; ++i) {
      for (Index j = i + 1; j < classes; ++j, ++value) {
        if (i == c) out.coefficients(row, j - 1) = factor * *value;
        if (j == c) out.coefficients(row, i) = factor * *value;
      }
    }
  }
  return out;
}

template <class Values>
void write_line(std::ostream& out, const char* key, const Values& values) {
  out << key;
  for (const auto& value : values) out << ' ' << fmt::format("{}", value);
  out << '\n';
}

void write_header(std::ostream& out, const Model::Parts& p, const SvmType& type, const LibsvmKernel& kernel,
                  const Layout& layout) {
  out << "svm_type " << type.libsvm << "\nkernel_type " << kernel.type << '\n';
  if (kernel.type == "polynomial") out << "degree " << kernel.degree << '\n';
  if (kernel.type == "polynomial" || kernel.type == "rbf") out << "gamma " << number(kernel.gamma) << '\n';
  if (kernel.type == "polynomial") out << "coef0 " << number(kernel.coef0) << '\n';
  out << "nr_class " << (type.classifies ? p.classes.size() : 2) << "\ntotal_sv " << layout.order.size() << '\n';
  Vector rho, slopes, offsets;
  for (const double bias : p.f.parts().bias) rho.push_back(-bias);
  for (const Sigmoid& s : p.calibration.sigmoids) {
    slopes.push_back(s.slope);
    offsets.push_back(s.offset);
  }
  write_line(out, "rho", rho);
  if (type.classifies) write_line(out, "label", layout.labels);
  if (const auto scale = p.report.figure(kLaplaceScale); scale && !type.classifies) slopes = {*scale};
  if (!slopes.empty()) write_line(out, "probA", slopes);
  if (!offsets.empty()) write_line(out, "probB", offsets);
  if (type.classifies) write_line(out, "nr_sv", layout.vectors_of);
  out << "SV\n";
}

// Writes " column:value" for each entry of a point that is not 0.
void write_point(std::ostream& out, const Points& x, Index i) {
  if (const SparseMatrix* sparse = sparse_rows(x)) {
    const SparseMatrix& m = *sparse;
    for (Index p = m.offsets[at(i)]; p < m.offsets[at(i + 1)]; ++p) {
      out << fmt::format(" {}:{}", m.columns[at(p)] + 1, m.values[at(p)]);
    }
    return;
  }
  const DenseRows row = dense_rows(x.slice({i, i + 1}));
  for (Index k = 0; k < row.values.cols(); ++k) {
    if (row.values(0, k) != 0) out << fmt::format(" {}:{}", k + 1, row.values(0, k));
  }
}

}  // namespace

void write_libsvm_model(std::ostream& out, const Model& m) {
  const Model::Parts& p = m.parts();
  const Expansion::Parts& f = p.f.parts();
  const SvmType& type = type_of(p);
  if (f.centres && f.centres->domain().kind != "reals") {
    fail(ErrorKind::usage, "LIBSVM's points are numbers; this model's are {}", f.centres->domain().str());
  }
  if (!f.kernel && f.support.empty() && f.alpha.rows() > 0) {
    fail(ErrorKind::usage, "LIBSVM needs the numbers of the support vectors of a precomputed kernel; there are none");
  }
  const LibsvmKernel kernel = f.kernel ? to_libsvm(*f.kernel) : LibsvmKernel{.type = "precomputed"};
  const Layout layout = layout_of(p, type, kernel.factor);
  write_header(out, p, type, kernel, layout);
  for (Index row = 0; row < f.alpha.rows(); ++row) {
    for (Index c = 0; c < layout.coefficients.cols(); ++c) {
      out << (c > 0 ? " " : "") << number(layout.coefficients(row, c));
    }
    const Index v = layout.order[at(row)];
    if (f.kernel) {
      write_point(out, *f.centres, v);
    } else {
      out << " 0:" << f.support[at(v)] + 1;
    }
    out << '\n';
  }
}

void write_libsvm_model(const std::string& path, const Model& m) {
  write_atomically(path, [&](std::ostream& out) { write_libsvm_model(out, m); });
}

}  // namespace mercer
