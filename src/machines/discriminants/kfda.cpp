#include "mercer/machines/kfda.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "gram/about_mean.hpp"
#include "gram/assemble.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "linalg/low_rank.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/embeddings/signs.hpp"
#include "machines/least_squares/least_squares.hpp"
#include "model/needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"
#include "simd/loops.hpp"
#include "solve/kinds.hpp"

namespace mercer {

namespace {

constexpr int kMatrices = 1;  // of n x n numbers: G, factored where it stands

// Points of positive weight, scaled so that weights add to 1: q_i = sqrt(w_i / sum w), G = q K q. Column c of Q is q on
// class c divided by its length sqrt(p_c): orthonormal, and R = I - Q Q' takes the class means out.
struct Scatter {
  std::vector<Index> points;
  std::vector<Index> of;  // their classes
  Vector q;
  Vector root;  // sqrt(p_c)
  Matrix G;
  Matrix F;  // G = F F' with few columns, where K has so few features: then there is no G

  bool by_features() const { return F.rows() > 0; }
  Index size() const { return static_cast<Index>(points.size()); }
  Index classes() const { return static_cast<Index>(root.size()); }
  double in_Q(Index i) const { return q[at(i)] / root[at(of[at(i)])]; }
};

std::optional<Needs> in_few_features(const Extent& extent) {
  std::optional<Needs> out = detail::by_features(extent, extent.weighted, extent.weighted / 4, "Woodbury");
  if (out) out->least_bytes = out->beside.front().bytes;  // of which pairs need more
  return out;
}

Scatter scatter_of(const Training& training) {
  detail::LeastSquares system = detail::least_squares(training);
  system.equations.unit = system.weight;
  Scatter s{detail::weighted_points(training), {}, {}, Vector(training.labels.classes.size()), {}, {}};
  std::optional<solve::Factor> few;
  if (in_few_features(extent_of(training))) few = solve::factor_of(system.equations);
  if (few) {
    s.F = std::move(few->G);
  } else {
    detail::require_matrices("kfda", training, system.size(), kMatrices);
    s.G = solve::assembled(system.equations, training.how);
  }
  for (Index i = 0; i < s.size(); ++i) {
    s.of.push_back(training.labels.of[at(s.points[at(i)])]);
    s.q.push_back(system.equations.scale_of(i) / std::sqrt(system.weight));
    s.root[at(s.of.back())] += s.q.back() * s.q.back();
  }
  for (Index c = 0; c < s.classes(); ++c) {
    if (!(s.root[at(c)] > 0)) {
      fail(ErrorKind::data, "kfda: class {} has no point of positive weight; leave the class out",
           quoted(training.labels.classes[at(c)]));
    }
    s.root[at(c)] = std::sqrt(s.root[at(c)]);
  }
  return s;
}

// A basis of what is orthogonal to sqrt(p): the differences of class means, each class by its share. Classes in rows.
Matrix contrasts(const Vector& root) {
  const auto classes = static_cast<Index>(root.size());
  // The reflection that takes sqrt(p) to the last unit vector; its other columns.
  Vector h = root;
  h.back() += 1;
  const double square = 2 * h.back();  // |h|^2
  Matrix out(classes, classes - 1);
  for (Index c = 0; c < classes; ++c) {
    for (Index j = 0; j < classes - 1; ++j) out(c, j) = (c == j ? 1 : 0) - 2 * h[at(c)] * h[at(j)] / square;
  }
  return out;
}

// Q'm, classes in rows.
Matrix class_sums(const Scatter& s, const Matrix& m) {
  Matrix out(s.classes(), m.cols());
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) out(s.of[at(i)], j) += s.in_Q(i) * m(i, j);
  }
  return out;
}

// m becomes R m.
void take_class_means_out(const Scatter& s, Matrix& m) {
  const Matrix sums = class_sums(s, m);
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) m(i, j) -= s.in_Q(i) * sums(s.of[at(i)], j);
  }
}

// G Q, classes in columns; G becomes R G R, and F R F.
Matrix take_class_means_out(Scatter& s) {
  const Index n = s.size();
  Matrix GQ(n, s.classes());
  if (s.by_features()) {
    linalg::multiply_transposed(1, s.F, class_sums(s, s.F), 0, GQ);
    take_class_means_out(s, s.F);
    return GQ;
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) GQ(i, s.of[at(j)]) += s.G(i, j) * s.in_Q(j);
  }
  const Matrix S = class_sums(s, GQ);
  for (Index i = 0; i < n; ++i) {
    const Index a = s.of[at(i)];
    for (Index j = 0; j < n; ++j) {
      const Index b = s.of[at(j)];
      s.G(i, j) += s.in_Q(i) * S(a, b) * s.in_Q(j) - s.in_Q(i) * GQ(j, a) - GQ(i, b) * s.in_Q(j);
    }
  }
  return GQ;
}

struct Found {
  Matrix z;       // points x directions: alpha = q z
  Matrix means;   // classes x directions
  Vector ratios;  // decreasing
  Vector bias;    // minus the mean of all points
};

// The direction in which the class of the farthest mean is positive; of two that are equally far, the later class.
double sign_of(const Matrix& means, Index direction) {
  Vector of_classes;
  for (Index c = 0; c < means.rows(); ++c) of_classes.push_back(means(c, direction));
  return detail::sign_of(of_classes, std::greater<>());
}

double trace_of(const Scatter& s) {
  double trace = 0;
  for (Index i = 0; i < s.size(); ++i)
    trace += s.by_features() ? simd::dot(s.F.row(i), s.F.row(i), at(s.F.cols())) : s.G(i, i);
  return trace;
}

// (G + ridge)^-1 b. What G or F was is used up.
Matrix solved(Scatter& s, double ridge, Matrix b, const Monitor& monitor) {
  if (s.by_features()) {
    monitor.report({"solve", 0});
    return linalg::LowRank(s.F, ridge).solve(std::move(b), Vector{ridge});
  }
  for (Index i = 0; i < s.size(); ++i) s.G(i, i) += ridge;
  if (linalg::cholesky(s.G, monitor) != 0) {
    fail(ErrorKind::numeric,
         "kfda: the scatter within the classes plus ridge = {:.3g} is not positive definite in floating point; raise "
         "the ridge, or check that K is positive semi-definite",
         ridge);
  }
  linalg::cholesky_solve(s.G, b);
  return b;
}

// (S_W + ridge) v = M u, M the contrasts of the means, has the coefficients
//     z = (b - (R G R + ridge)^-1 R G b) / ridge,   b = Q T,
// and M'(S_W + ridge)^-1 M = b'G z is a small matrix whose eigenvectors u are wanted.
Found directions_of(Scatter& s, double ridge, const Monitor& monitor) {
  const Index n = s.size(), C = s.classes(), m = C - 1;
  const Matrix T = contrasts(s.root);
  const double scale = trace_of(s);
  const Matrix GQ = take_class_means_out(s);
  Matrix b(n, m), H = Matrix::uninitialized(n, m);
  linalg::multiply(1, GQ, T, 0, H);  // G b
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) b(i, j) = s.in_Q(i) * T(s.of[at(i)], j);
  }
  const Matrix QH = class_sums(s, H);
  Matrix RH = std::move(H);
  take_class_means_out(s, RH);
  Matrix Y = solved(s, ridge, RH, monitor);
  take_class_means_out(s, Y);  // it has none but by rounding, which the ridge would blow up
  Matrix E(m, m);              // b'G b - (R G b)'(...)^-1 R G b, over the ridge
  linalg::multiply_left_transposed(1, T, QH, 0, E);
  linalg::multiply_left_transposed(-1, RH, Y, 1, E);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j) E(i, j) /= ridge;
  }
  const linalg::Eigen eigen = linalg::eigen(E);
  Found out;
  // What rounding leaves of ratios that are 0.
  const double least = scale / ridge * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  for (Index k = m - 1; k >= 0; --k) {
    if (!(eigen.values[at(k)] > least)) break;
    out.ratios.push_back(eigen.values[at(k)]);
  }
  const auto directions = static_cast<Index>(out.ratios.size());
  if (directions == 0 || !std::isfinite(out.ratios.front())) {
    fail(ErrorKind::data,
         "kfda: the classes have the same mean in feature space, so that no direction separates them; "
         "check the kernel and that the inputs vary");
  }
  out.z = Matrix(n, directions);
  out.means = Matrix(C, directions);
  out.bias.assign(at(directions), 0.0);
  for (Index k = 0; k < directions; ++k) {
    const double* const u = eigen.vectors.row(m - 1 - k);
    const double root = std::sqrt(out.ratios[at(k)]);
    for (Index c = 0; c < C; ++c) {
      for (Index j = 0; j < m; ++j) out.means(c, k) += root * T(c, j) * u[j] / s.root[at(c)];
    }
    const double sign = sign_of(out.means, k);
    for (Index c = 0; c < C; ++c) out.means(c, k) *= sign;
    for (Index i = 0; i < n; ++i) {
      double z = 0, Gq = 0;
      for (Index j = 0; j < m; ++j) z += (b(i, j) - Y(i, j)) * u[j];
      for (Index c = 0; c < C; ++c) Gq += GQ(i, c) * s.root[at(c)];
      out.z(i, k) = sign * z / (ridge * root);
      out.bias[at(k)] -= out.z(i, k) * Gq;
    }
  }
  return out;
}

// What the reading `class_means` wants: the mean of each class, and the logarithm of its prior.
Matrix readout_of(const Found& found, const Vector& root, KernelFda::Priors priors) {
  Matrix out(found.means.rows(), found.means.cols() + 1);
  for (Index c = 0; c < out.rows(); ++c) {
    std::copy_n(found.means.row(c), found.means.cols(), out.row(c));
    out(c, found.means.cols()) =
        priors == KernelFda::Priors::equal ? -std::log(static_cast<double>(out.rows())) : 2 * std::log(root[at(c)]);
  }
  return out;
}

}  // namespace

Model KernelFda::fit(const Training& given) const {
  const Stopwatch watch;
  if (!(ridge > 0) || std::isinf(ridge)) {
    fail(ErrorKind::usage, "kfda: ridge must be a finite number above 0, not {}", ridge);
  }
  const Threads threads = detail::check_training("kfda", Task::classification, given);
  detail::require_unshifted(given.K);
  Training training = given;
  const detail::AboutMean about = detail::about_mean(given.K, given.weights, given.how);
  training.K = about.K;
  Scatter scatter = scatter_of(training);
  const Found found = directions_of(scatter, ridge, training.how.monitor);
  scatter.G = {};  // before the centres are copied
  Matrix alpha(training.K.size(), found.z.cols());
  for (Index i = 0; i < found.z.rows(); ++i) {
    for (Index k = 0; k < alpha.cols(); ++k) alpha(scatter.points[at(i)], k) = scatter.q[at(i)] * found.z(i, k);
  }
  Model::Parts parts =
      detail::parts_of("kfda", training, training.K.expansion(alpha, found.bias, training.how), Reading::class_means);
  parts.scaling = about.moved;
  parts.classes = training.labels.classes;
  parts.calibration.kind = Calibration::Kind::softmax;
  parts.readout = readout_of(found, scatter.root, priors);
  parts.report.add("ridge", ridge);
  Report::Table table{"directions", {"ratio", "share"}, Matrix(alpha.cols(), 2)};
  double sum = 0;
  for (const double ratio : found.ratios) sum += ratio;
  for (Index k = 0; k < alpha.cols(); ++k) {
    table.rows(k, 0) = found.ratios[at(k)];
    table.rows(k, 1) = found.ratios[at(k)] / sum;
  }
  parts.report.tables.push_back(std::move(table));
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

std::vector<Machine> detail::kfda_rows() {
  Machine row;
  row.name = "kfda";
  row.purpose = "Fisher's discriminant: the directions that separate the classes best, and the nearest class mean";
  row.problem = "max_V  tr (V' (S_W + ridge I) V)^-1 V' S_B V, S_B and S_W the scatter between and within the classes";
  row.task = Task::classification;
  row.options = {
      {"ridge", "0.001", "Added to the variance within the classes in every direction, > 0"},
      {"priors", "equal", "Of the classes: equal, or their shares of the points: shares"},
  };
  row.fit = [row](const Settings& settings, const Training& training) {
    const SettingsReader read(row, settings);
    return KernelFda{.ridge = read.positive("ridge"),
                     .priors = static_cast<KernelFda::Priors>(read.choice("priors", {"equal", "shares"}))}
        .fit(training);
  };
  row.choosing = [](const Settings&, const Training*) {
    return Choosing{.stages = {{{"ell", {4, 2, 1, 0.5, 0.25}, Trial::Unit::automatic},
                                {"ridge", {1, 0.1, 0.01, 1e-3, 1e-4, 1e-5}}}},
                    .most = 500};
  };
  row.centres = OnCentres::as_features;
  row.needs = [](const Settings&, const Extent& extent) {
    if (auto few = in_few_features(extent)) return *few;
    return by_all_pairs(extent.weighted, kMatrices, "Cholesky", 1.0 / 3);
  };
  return {row};
}

}  // namespace mercer
