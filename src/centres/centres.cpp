#include "mercer/centres.hpp"

#include <algorithm>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "centres/pass.hpp"
#include "linalg/cholesky.hpp"
#include "points/distinct.hpp"

namespace mercer {

struct Centres::Rep {
  Kernel kernel;  // resolved
  Points points;  // different
  std::shared_ptr<const Matrix> root;
  double jitter = 0;
  Choice choice = {};
};

namespace {

// K(Z, Z) of different points may still be singular in floating point. The least that is added to its diagonal is what
// its factorisation rounds anyway; each further try has ten times as much.
constexpr double kLeastJitter = std::numeric_limits<double>::epsilon();
constexpr double kMostJitter = 1e-6;

struct Root {
  Matrix lower;
  double jitter = 0;
};

Root root_of(const Kernel& k, const Points& z, const Execution& how) {
  const Index m = z.size();
  Matrix K = Matrix::uninitialized(m, m);
  for (double share = kLeastJitter; share <= kMostJitter; share *= 10) {
    gram(k, z, K, how);
    double trace = 0;
    for (Index i = 0; i < m; ++i) trace += K(i, i);
    const double jitter = share * trace;
    for (Index i = 0; i < m; ++i) K(i, i) += jitter;
    if (linalg::cholesky(K, how.monitor) != 0) continue;
    for (Index i = 0; i < m; ++i) std::fill(K.row(i) + i + 1, K.row(i) + m, 0.0);
    return {std::move(K), jitter};
  }
  fail(ErrorKind::numeric, "centres: the matrix of {} centres is not positive semi-definite; is {} a kernel there?", m,
       k.str());
}

}  // namespace

Centres::Centres(Kernel resolved, const Points& centres, const Execution& how) {
  if (centres.size() == 0) fail(ErrorKind::usage, "centres: there must be at least one");
  const Points different = distinct(centres);
  Root root = root_of(resolved, different, how);
  rep_ = std::make_shared<const Rep>(Rep{.kernel = std::move(resolved),
                                         .points = different,
                                         .root = std::make_shared<const Matrix>(std::move(root.lower)),
                                         .jitter = root.jitter,
                                         .choice = {.wishes = {.count = centres.size()}}});
}

const Kernel& Centres::kernel() const { return rep_->kernel; }
const Points& Centres::points() const { return rep_->points; }
Index Centres::size() const { return rep_->points.size(); }
MatrixView Centres::root() const { return *rep_->root; }
double Centres::jitter() const { return rep_->jitter; }
const Centres::Choice& Centres::choice() const { return rep_->choice; }

Centres Centres::chosen_as(Choice choice) const {
  Centres out = *this;
  Rep rep = *rep_;
  rep.choice = choice;
  out.rep_ = std::make_shared<const Rep>(std::move(rep));
  return out;
}

namespace centres {

const Summand features{"features", kTall,
                       [](const Given&, Index m, Index rows) {
                         return distributed::Shapes{{rows, m}};
                       },
                       [](const Seen& seen, distributed::Part& sums) {
                         linalg::solve_lower_rows(seen.given.all[0], seen.K);
                         for (Index i = 0; i < seen.K.rows(); ++i) {
                           std::copy_n(seen.K.row(i), seen.K.cols(), sums[0].row(seen.rows.begin - seen.first + i));
                         }
                       }};

}  // namespace centres

Matrix Centres::features(const Points& x, const Execution& how) const {
  const Threads limit(how.threads);
  const centres::Pass pass(kernel(), points(), centres::pieces_of(x));
  if (pass.elsewhere()) return pass.rows_elsewhere(centres::features, {{root()}, {}});
  Matrix out = Matrix::uninitialized(x.size(), size());
  pass.strips(
      pass.pieces(), centres::kTall,
      [&](Index, Range rows, MatrixRef K) {
        linalg::solve_lower_rows(root(), K);
        for (Index i = 0; i < rows.size(); ++i) std::copy_n(K.row(i), size(), out.row(rows.begin + i));
      },
      [](Index) {}, how);
  return out;
}

Expansion Centres::expansion(const Matrix& w, Vector bias, Index training_size) const {
  Expansion::Parts parts{.kernel = kernel(), .centres = points(), .alpha = w, .bias = std::move(bias)};
  linalg::solve_lower_transposed(root(), parts.alpha);
  parts.training_size = training_size;
  for (Index c = 0; c < w.cols(); ++c) {
    double square = 0;
    for (Index j = 0; j < w.rows(); ++j) square += w(j, c) * w(j, c);
    parts.squared_norms.push_back(square);
  }
  return Expansion(std::move(parts));
}

}  // namespace mercer
