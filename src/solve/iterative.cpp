// A = B + s I with B = S K S / unit, by conjugate gradients on products with K, preconditioned by P = F'F + s I with F
// a partial Cholesky factor of B (Diaz, Epperly, Frangella, Tropp & Webber, arXiv:2304.12465).
//
// F'F <= B, so P <= A: the spectrum of P^-1 A is in [1, 1 + |R| / s], R = B - F'F, and any z has
//     |z - A^-1 b|_A^2 = r'A^-1 r <= r'P^-1 r,  r = b - A z;    log |P| <= log |A| <= log |P| + n log(1 + tr R / (n
//     s)).
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/assemble.hpp"
#include "gram/rounded.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/column_products.hpp"
#include "linalg/lapack.hpp"
#include "solve/iterate.hpp"
#include "solve/kinds.hpp"
#include "solve/lanczos.hpp"
#include "solve/partial_cholesky.hpp"

namespace mercer::solve {

namespace {

constexpr std::uint64_t kSeed = 1;
constexpr Index kFirstRank = 125;
// Beyond this the square of a preconditioner costs more than the steps it saves, as measured up to 1e5 points.
constexpr Index kMostRank = 2000;
// A value of a kernel, and one that was kept, in flops of a matrix product that take as long; nothing here is decided
// by a clock, or by the memory that happens to be free.
constexpr double kPairCost = 60, kKeptCost = 20;
// A factor of rank k and what makes it a preconditioner, in k^2 n flops.
constexpr double kFactorCost = 5;
// Below this share of the trace, F F' + s I would lose half of its digits to a Cholesky factor.
constexpr double kSmallShift = 1e-10;
constexpr Index kSample = 1000;
// Steps taken, as a share of their bound: 0.44 to 0.66 on 41,157 points of protein with two kernels.
constexpr double kOfBound = 0.55;
// By how much a residual falls between two looks at K itself, while K is rounded: no step goes far below the rounding.
constexpr double kGain = 1e-4;
// Of probes: by how much r'P^-1 r falls. Their spread is far more than what a smaller one would change.
constexpr double kProbed = 1e-8;
// An estimate is given with so many standard errors to both sides.
constexpr double kStandardErrors = 3;
// New points whose variances are found side by side.
constexpr Index kSideBySide = 32;

bool may_be_rounded(const Equations& e, double trace, double shift) {
  return solve::may_be_rounded(trace, shift) && detail::can_be_rounded(e.K);
}

// P = F'F + s I, solved by Q = L^-1 F with L L' = F F' + s I: P^-1 v = (v - Q'Q v) / s.
class Preconditioner {
 public:
  // F: the first `rank` rows.
  Preconditioner(Matrix F, Index rank, double shift, double trace, const Monitor& monitor)
      : shift_(shift), rank_(rank), all_(std::move(F)) {
    const Index k = rank_, n = all_.cols();
    if (k == 0) return;
    Matrix L = Matrix::uninitialized(k, k);
    linalg::symmetric_product(Q(), L, monitor);
    for (Index i = 0; i < k; ++i) L(i, i) += shift;
    if (shift < kSmallShift * trace || linalg::cholesky(L, monitor) != 0) L = by_reflections();
    log_determinant_ = linalg::log_determinant(L) + static_cast<double>(n - k) * std::log(shift);
    linalg::solve_lower(L, all_.ref().block({0, k}, {0, n}));
    lower_ = std::move(L);
  }

  // Columns drawn from N(0, P): F'g + sqrt(s) h, F'g = Q'L'g.
  Matrix draw(Index count, std::uint64_t seed) const {
    const Index n = all_.cols();
    Random random(seed);
    Matrix out = Matrix::uninitialized(n, count), g = Matrix::uninitialized(rank_, count), turned(rank_, count);
    for (Index e = 0; e < n * count; ++e) out.data()[e] = std::sqrt(shift_) * random.normal();
    if (rank_ == 0) return out;
    for (Index e = 0; e < rank_ * count; ++e) g.data()[e] = random.normal();
    for (Index i = 0; i < rank_; ++i) {
      for (Index j = 0; j <= i; ++j) {
        for (Index c = 0; c < count; ++c) turned(j, c) += lower_(i, j) * g(i, c);
      }
    }
    linalg::multiply_left_transposed(1, Q(), turned, 1, out);
    return out;
  }

  void solve(MatrixRef v) const {
    if (rank_ > 0) {
      Matrix inner = Matrix::uninitialized(rank_, v.cols());
      linalg::multiply(1, Q(), v, 0, inner);
      linalg::multiply_left_transposed(-1, Q(), inner, 1, v);
    }
    for (Index i = 0; i < v.rows(); ++i) {
      for (Index c = 0; c < v.cols(); ++c) v(i, c) /= shift_;
    }
  }

  double log_determinant(Index n) const {
    return rank_ > 0 ? log_determinant_ : static_cast<double>(n) * std::log(shift_);
  }
  Index rank() const { return rank_; }

 private:
  MatrixView Q() const { return all_.view().block({0, rank_}, {0, all_.cols()}); }

  Matrix by_reflections() const {
    const Index k = rank_, n = all_.cols();
    Matrix both(k, n + k);
    for (Index i = 0; i < k; ++i) {
      std::copy_n(all_.row(i), n, both.row(i));
      both(i, n + i) = std::sqrt(shift_);
    }
    const Matrix all = linalg::factor_of_product(std::move(both));
    return Matrix(all.view().block({0, k}, {0, k}));
  }

  double shift_;
  Index rank_;
  Matrix all_;    // rows beyond the rank were never written, and are no memory
  Matrix lower_;  // L
  double log_determinant_ = 0;
};

// By powers of R.
double largest_eigenvalue(const Matrix& R) {
  const Index n = R.rows();
  Random random(kSeed);
  Matrix v(n, 1), next(n, 1);
  for (Index i = 0; i < n; ++i) v(i, 0) = random.normal();
  double length = 0;
  for (int step = 0; step < 20; ++step) {
    linalg::multiply(1 / std::max(std::sqrt(linalg::column_square(v, 0)), std::numeric_limits<double>::min()), R, v, 0,
                     next);
    std::swap(v, next);
    length = std::sqrt(linalg::column_square(v, 0));
  }
  return length;
}

// The largest eigenvalue of B - F'F, from that among some of the points and among half of these. What neighbours share
// grows with the number of points, and what each has by itself does not: two sizes tell one from the other.
double largest_left(const Equations& e, const PartialCholesky& factor, const Execution& how) {
  const Index n = e.size(), count = std::min(n, kSample);
  std::vector<Index> own, points;
  for (Index i = 0; i < count; ++i) {
    own.push_back(i * n / count);
    points.push_back(e.point_of(own.back()));
  }
  Matrix R = Matrix::uninitialized(count, count), F = Matrix::uninitialized(count, factor.rank());
  detail::assemble(e.K, points, R, {.tile = how.tile, .threads = how.threads});
  for (Index i = 0; i < count; ++i) {
    const double s = e.scale_of(own[at(i)]);
    for (Index j = 0; j < count; ++j) R(i, j) = s * R(i, j) / e.unit * e.scale_of(own[at(j)]);
    for (Index k = 0; k < factor.rank(); ++k) F(i, k) = factor.factor()(k, own[at(i)]);
  }
  if (factor.rank() > 0) linalg::multiply_transposed(-1, F, F, 1, R, how.monitor);
  const double of_all = largest_eigenvalue(R);
  if (count == n) return of_all;
  const Index half = count / 2;
  Matrix every_second = Matrix::uninitialized(half, half);
  for (Index i = 0; i < half; ++i) {
    for (Index j = 0; j < half; ++j) every_second(i, j) = R(2 * i, 2 * j);
  }
  const double for_each = std::max(0.0, of_all - largest_eigenvalue(every_second)) / static_cast<double>(count - half);
  return of_all + for_each * static_cast<double>(n - count);
}

// Twice as many pivots, as long as the steps they should save cost more than they do. That the next doubling lowers |R|
// by the same factor as the last is a guess; what comes of it is only time. False where more would save, and memory
// has no room for them.
bool grow_while_it_saves(PartialCholesky& factor, const Equations& e, double shift, const Wishes& wishes, Index most,
                         const Execution& how) {
  const auto n = static_cast<double>(e.size());
  const double kept = may_be_rounded(e, factor.trace(), shift)
                          ? std::min(1.0, detail::kMostKept / detail::rounded_bytes(e.K.size()))
                          : 0;
  const double pair = kept * kKeptCost + (1 - kept) * kPairCost;
  const auto cost = [&](double rank, double largest) {
    return kFactorCost * rank * rank * n +
           steps_for(largest, shift, wishes.tolerance) * n * (0.5 * n * pair + 4 * rank);
  };
  double before = largest_left(e, factor, how);
  for (Index rank = kFirstRank;; rank *= 2) {
    const Index wanted = std::min(rank, most_rank(e.size()));
    factor.grow(std::min(wanted, most), how);
    if (factor.rank() < std::min(wanted, most)) return true;  // B has no more
    if (wanted > most) return false;
    if (wanted < rank) return true;
    const double now = largest_left(e, factor, how);
    const double next = before > 0 ? now * std::min(1.0, now / before) : now;
    const auto size = static_cast<double>(rank);
    if (cost(2 * size, next) >= cost(size, now)) return true;
    before = now;
  }
}

class IterativeSystem final : public System {
 public:
  IterativeSystem(const Equations& equations, const Wishes& wishes, PartialCholesky factor, bool cut_short,
                  const Execution& how)
      : equations_(equations), wishes_(wishes), how_(how), shift_(equations.shift.front()) {
    const double trace = factor.trace(), rest = factor.rest();
    const Index rank = factor.rank();
    preconditioner_ =
        std::make_shared<const Preconditioner>(std::move(factor).take(), rank, shift_, trace, how.monitor);
    if (may_be_rounded(equations, trace, shift_)) {
      rounded_ = equations;
      rounded_->K = detail::rounded(equations.K, wishes.kept, how);
    }
    const auto n = static_cast<double>(equations.size());
    low_ = preconditioner_->log_determinant(equations.size());
    high_ = low_ + n * std::log1p(rest / (n * shift_));
    certificate_ = {.method = "conjugate gradients",
                    .size = equations.size(),
                    .rank = preconditioner_->rank(),
                    .cut_short = cut_short,
                    .rest = trace > 0 ? rest / trace : 0,
                    .trace = trace,
                    .condition_bound = (trace + shift_) / shift_,
                    .probes = wishes.probes,
                    .bytes = static_cast<double>(preconditioner_->rank()) * n * sizeof(double)};
    if (wishes.probes > 0) probe();
  }

  Accuracy solve(MatrixRef b) const override {
    const Matrix side(b);
    Iterated found = iterate(side, {.system = [this](const Monitor& monitor) { return linear_system(monitor); },
                                    .residual = [&](const Matrix& x, const Monitor& m) { return residual(side, x, m); },
                                    .tolerance = wishes_.tolerance,
                                    .gain = rounded_ ? kGain : 0,
                                    .most_steps = wishes_.most_steps,
                                    .monitor = how_.monitor,
                                    .checkpoints = wishes_.checkpoints,
                                    .same = {static_cast<double>(preconditioner_->rank())}});
    bound(side, found);
    for (Index i = 0; i < b.rows(); ++i) std::copy_n(found.x.row(i), b.cols(), b.row(i));
    return found.accuracy;
  }

  void solve_root(MatrixRef, const Monitor&) const override { refuse("a root of A^-1"); }
  Interval log_determinant() const override { return {low_, high_}; }
  const Certificate& certificate() const override { return certificate_; }

  // x'b + x'r <= b'A^-1 b <= that + r'P^-1 r, r = b - A x.
  Interval quadratic(VectorView b, VectorView solved, const Monitor& monitor) const override {
    const MatrixView side(b.data(), size(), 1), x(solved.data(), size(), 1);
    const Matrix r = residual(side, Matrix(x), monitor);
    Matrix left = r;
    preconditioner_->solve(left);
    const double low = linalg::column_product(x, side, 0) + linalg::column_product(x, r, 0);
    return {low, low + std::max(0.0, linalg::column_product(r, left, 0))};
  }

  // Above what they are by no more than the tolerance allows: k_x'A^-1 k_x is bounded from below.
  std::optional<Vector> variances(const Points& x) const override {
    const std::optional<Kernel> k = equations_.K.kernel();
    const std::optional<Points> points = equations_.K.points();
    if (!k || !points) return std::nullopt;
    Vector out = diagonal(*k, x);
    for (Index first = 0; first < x.size(); first += kSideBySide) {
      const Points some = x.slice({first, std::min(x.size(), first + kSideBySide)});
      const Matrix all = cross(*k, *points, some, how_);
      Matrix side = Matrix::uninitialized(size(), some.size());
      for (Index i = 0; i < size(); ++i) {
        for (Index c = 0; c < some.size(); ++c) side(i, c) = equations_.scale_of(i) * all(equations_.point_of(i), c);
      }
      Matrix solved = side;
      solve(solved);
      const Matrix r = residual(side, solved, how_.monitor);
      for (Index c = 0; c < some.size(); ++c) {
        const double known = linalg::column_product(solved, side, c) + linalg::column_product(solved, r, c);
        out[at(first + c)] = std::max(0.0, out[at(first + c)] - known / equations_.unit);
      }
    }
    return out;
  }

  // With v = A^-1 z and w = P^-1 z of z ~ N(0, P), E v w' = A^-1.
  std::optional<Slopes> slopes(const Matrix& b, const Matrix& solved) const override {
    if (wishes_.probes == 0 || !equations_.points.empty()) return std::nullopt;
    const Index n = size(), columns = b.cols(), probes = wishes_.probes;
    const double share = static_cast<double>(columns) / static_cast<double>(probes);
    Slopes out;
    for (Index i = 0; i < n; ++i) {
      double w = 0;
      for (Index c = 0; c < columns; ++c) w += solved(i, c) * solved(i, c);
      for (Index p = 0; p < probes; ++p) w -= share * probed_(p, i) * preconditioned_(p, i);
      out.by_shift.push_back(0.5 * w);
    }
    const Matrix rows = transposed(solved);
    out.by_parameter = equations_.K.gradient(
        [&](Range i, Range j, double* w) {
          for (Index a = i.begin; a < i.end; ++a, w += j.size()) {
            std::fill_n(w, j.size(), 0.0);
            const auto add = [&](double factor, const double* to) {
              for (Index k = 0; k < j.size(); ++k) w[k] += factor * to[j.begin + k];
            };
            for (Index c = 0; c < columns; ++c) add(rows(c, a), rows.row(c));
            for (Index p = 0; p < probes; ++p) {
              add(-0.5 * share * probed_(p, a), preconditioned_.row(p));
              add(-0.5 * share * preconditioned_(p, a), probed_.row(p));
            }
            for (Index k = 0; k < j.size(); ++k) {
              w[k] *= equations_.scale_of(a) / equations_.unit * equations_.scale_of(j.begin + k);
            }
            if (i.begin != j.begin) continue;
            w[a - i.begin] *= 0.5;
            std::fill(w + (a - i.begin) + 1, w + j.size(), 0.0);
          }
        },
        how_);
    return out;
  }

  std::unique_ptr<System> clone() const override { return std::make_unique<IterativeSystem>(*this); }
  std::unique_ptr<Inverse> inverse(const Monitor&) && override { refuse("the entries of A^-1"); }

 private:
  [[noreturn]] static void refuse(std::string_view what) {
    fail(ErrorKind::usage,
         "conjugate gradients know solutions and bounds, and not {}; ask for a solver that has a factor of A", what);
  }

  Execution with(const Monitor& monitor) const {
    Execution out = how_;
    out.monitor = monitor;
    return out;
  }

  linalg::LinearSystem linear_system(const Monitor& monitor) const {
    return {.apply =
                [this, how = with(monitor)](MatrixView v, MatrixView, MatrixRef out) {
                  const Matrix A_v = product(rounded_ ? *rounded_ : equations_, v, how);
                  for (Index i = 0; i < v.rows(); ++i) std::copy_n(A_v.row(i), v.cols(), out.row(i));
                },
            .precondition = [this](MatrixRef v) { preconditioner_->solve(v); }};
  }

  static Matrix transposed(MatrixView m) {
    Matrix out = Matrix::uninitialized(m.cols(), m.rows());
    for (Index i = 0; i < m.rows(); ++i) {
      for (Index c = 0; c < m.cols(); ++c) out(c, i) = m(i, c);
    }
    return out;
  }

  // log |A| = log |P| + tr log M, M = P^-1/2 A P^-1/2: n e'log(M) e of directions drawn evenly has that mean. The
  // search for A^-1 z, preconditioned by P, is one in M for P^-1/2 z. By K itself, and not rounded.
  void probe() {
    const Matrix z = preconditioner_->draw(wishes_.probes, kSeed);
    Matrix first = z;
    preconditioner_->solve(first);
    linalg::LinearSystem exact = linear_system(how_.monitor);
    exact.apply = [this](MatrixView v, MatrixView, MatrixRef out) {
      const Matrix A_v = product(equations_, v, how_);
      for (Index i = 0; i < v.rows(); ++i) std::copy_n(A_v.row(i), v.cols(), out.row(i));
    };
    const linalg::ConjugateGradients found =
        linalg::conjugate_gradients(exact, z, {.enough = kProbed, .most = wishes_.most_steps});
    const auto n = static_cast<double>(size()), count = static_cast<double>(wishes_.probes);
    double low = 0, high = 0, squares = 0;
    for (Index p = 0; p < wishes_.probes; ++p) {
      const Interval one = log_between_rules(found.lengths[at(p)], found.ratios[at(p)]);
      low += n * one.low / count;
      high += n * one.high / count;
      squares += n * one.middle() * n * one.middle() / count;
    }
    const double mean = 0.5 * (low + high), spread = std::sqrt(std::max(0.0, squares - mean * mean));
    const double error = wishes_.probes > 1 ? kStandardErrors * spread / std::sqrt(count - 1) : high_ - low_;
    const double base = low_;
    low_ = std::clamp(base + low - error, base, high_);
    high_ = std::clamp(base + high + error, low_, high_);
    probed_ = transposed(found.x);
    preconditioned_ = transposed(first);
  }

  Matrix residual(MatrixView b, const Matrix& x, const Monitor& monitor) const {
    Matrix r = product(equations_, x, with(monitor));
    for (Index i = 0; i < r.rows(); ++i) {
      for (Index c = 0; c < r.cols(); ++c) r(i, c) = b(i, c) - r(i, c);
    }
    return r;
  }

  // Of the error in the norm of A, by r'P^-1 r.
  void bound(MatrixView b, Iterated& found) const {
    const Matrix& r = found.r;
    Matrix solved = r;
    preconditioner_->solve(solved);
    for (Index c = 0; c < r.cols(); ++c) {
      if (found.norm[at(c)] == 0) continue;
      const double energy = linalg::column_product(found.x, b, c) - linalg::column_product(found.x, r, c);  // x'A x
      double& error = found.accuracy.energy_error;
      if (energy > 0) {
        error = std::max(error, std::sqrt(std::max(0.0, linalg::column_product(r, solved, c)) / energy));
      }
    }
  }

  Equations equations_;
  std::optional<Equations> rounded_;  // what steps multiply, where its K is near enough
  Wishes wishes_;
  Execution how_;
  double shift_;
  std::shared_ptr<const Preconditioner> preconditioner_;
  double low_ = 0, high_ = 0;
  Matrix probed_, preconditioned_;  // A^-1 z and P^-1 z, a row for each probe z
  Certificate certificate_;
};

}  // namespace

double steps_for(double largest_left, double shift, double tolerance) {
  return kOfBound * 0.5 * std::sqrt(1 + largest_left / shift) * std::log(2 / tolerance);
}

// K + E: |E| is at most a quarter of the shift, so that A + E is positive definite and what it solves takes a residual
// of A to a third at least; as a rule to a thousandth, for |E| is far below its bound.
bool may_be_rounded(double trace, double shift) { return 4 * detail::kFloatRounding * trace <= shift; }

Index most_rank(Index n) { return std::max<Index>(1, std::min(kMostRank, n / 4)); }

Index most_rank(Index n, double room) {
  constexpr double kShare = 0.3;
  const double fits =
      kShare * room / (static_cast<double>(sizeof(double)) * static_cast<double>(std::max<Index>(n, 1)));
  return std::max<Index>(1, std::min(most_rank(n), static_cast<Index>(fits)));
}

std::unique_ptr<System> iterative_system(const Equations& e, const Wishes& wishes, const Execution& how) {
  if (e.shift.size() != 1 || !(e.shift.front() > 0)) return nullptr;
  const Index most = wishes.rank > 0 ? std::min(wishes.rank, e.size()) : most_rank(e.size(), wishes.room);
  PartialCholesky factor(e, most, kSeed);
  bool full_rank = true;
  const bool again = wishes.storage && !wishes.storage->pivots.empty();
  if (again) {
    factor.grow_by(wishes.storage->pivots, how);
  } else if (wishes.rank > 0) {
    factor.grow(most, how);
  } else {
    full_rank = grow_while_it_saves(factor, e, e.shift.front(), wishes, most, how);
  }
  if (wishes.storage && !again) wishes.storage->pivots = factor.pivots();
  return std::make_unique<IterativeSystem>(e, wishes, std::move(factor), !full_rank, how);
}

}  // namespace mercer::solve
