#include "state_space/filter.hpp"

#include <limits>
#include <type_traits>

#include "simd/loops.hpp"
#include "state_space/damping.hpp"
#include "state_space/pieces.hpp"

namespace mercer::state_space {

namespace {

// At a time that was seen already, without noise, D is nothing but rounding.
constexpr double kRounding = 1e-13;

}  // namespace

class Passes {
 public:
  virtual ~Passes() = default;
  virtual void run(Filter& f, const Monitor& monitor) const = 0;
  virtual double density(const StateSpace& model, const Series& series, VectorView b) const = 0;
  virtual void forward(const Filter& f, MatrixRef b) const = 0;
  virtual void backward(const Filter& f, MatrixRef e) const = 0;
  virtual void backward_of_sides(const Filter& f, MatrixRef e) const = 0;
  virtual Vector inverse_diagonal(const Filter& f) const = 0;
  virtual std::vector<Matrix> inverse_blocks(const Filter& f, std::span<const Range> runs) const = 0;
  virtual Vector variances(const Filter& f, VectorView times) const = 0;
  virtual Filter::Slopes gradient(const Filter& f, const Matrix& mix) const = 0;

  static Index piece(const Filter& f) { return piece_size(f.series_.size(), f.model_.states()); }
  static Index piece_count(const Filter& f) { return (f.series_.size() + piece(f) - 1) / piece(f); }
  static Range range_of(const Filter& f, Index p) {
    return {p * piece(f), std::min(f.series_.size(), (p + 1) * piece(f))};
  }
};

template <class States>
class PassesOf final : public Passes {
  using State = typename States::State;
  using Square = typename States::Square;

 public:
  explicit PassesOf(const StateSpace& model) : s_(model.blocks()) {}

  void run(Filter& f, const Monitor& monitor) const override {
    with_means(f.innovations_.cols(), [&](const auto& none) { run(f, monitor, none); });
  }
  template <class Means>
  void run(Filter& f, const Monitor& monitor, const Means& none) const {
    const Index n = f.series_.size(), T = columns_of(none);
    if (T == 0) f.gains_ = Matrix::uninitialized(n, J());
    f.D_.resize(at(n));
    f.checkpoints_ = Matrix::uninitialized(piece_count(f), J() * J());
    f.first_means_ = Matrix::uninitialized(piece_count(f), T * J());
    Piece piece(f.model_, f.series_);
    Square P = start();
    State v = s_.state();
    Means m = none;
    double product = 1, logs = 0, inverse = 0;
    for (Index p = 0; p < piece_count(f); ++p) {
      monitor.report({"solve", static_cast<double>(p) / static_cast<double>(piece_count(f))});
      piece.load(range_of(f, p));
      std::copy(P.begin(), P.end(), f.checkpoints_.row(p));
      if (p > 0) s_.add_square(-inverse, v.data(), f.checkpoints_.row(p));
      std::copy(m.begin(), m.end(), f.first_means_.row(p));
      for (Index i = piece.range().begin; i < piece.range().end; ++i) {
        const double* const phi = piece.phi(i);
        if (i > 0) {
          s_.predict_from(-inverse, v.data(), P.data(), piece.transition(i));
          for (Index t = 0; t < T; ++t) s_.advance(m.data() + t * J(), piece.transition(i));
        }
        const double seen = s_.observe(P.data(), phi, v.data()), D = seen + f.series_.shift_of(i);
        if (!(D > 0) || !(D <= std::numeric_limits<double>::max()) ||
            (i > 0 && piece.step(i) == 0 && D <= kRounding * prior(phi))) {
          f.failed_at_ = i + 1;
          return;
        }
        f.D_[at(i)] = D;
        inverse = 1 / D;
        if (T == 0) {
          double* const g = f.gains_.row(i);
          for (Index j = 0; j < J(); ++j) g[j] = v[at(j)] * inverse;
        }
        double* const z = f.innovations_.row(i);
        for (Index t = 0; t < T; ++t) {
          double* const own = m.data() + t * J();
          const double fresh = z[t] - s_.seen(phi, own);
          z[t] = fresh;
          for (Index j = 0; j < J(); ++j) own[j] += v[at(j)] * (fresh * inverse);
        }
        multiply_in(D, product, logs);
      }
    }
    f.log_determinant_ = logs + std::log(product);
  }

  double density(const StateSpace& model, const Series& series, VectorView b) const override {
    const Index n = series.size(), size = piece_size(n, J());
    Piece piece(model, series);
    Square P = start();
    State m = s_.state(), v = s_.state();
    double product = 1, logs = 0, squares = 0, inverse = 0;
    for (Index first = 0; first < n; first += size) {
      piece.load({first, std::min(n, first + size)});
      for (Index i = first; i < piece.range().end; ++i) {
        const double* const phi = piece.phi(i);
        if (i > 0) {
          s_.predict_from(-inverse, v.data(), P.data(), piece.transition(i));
          s_.advance(m.data(), piece.transition(i));
        }
        const double D = s_.observe(P.data(), phi, v.data()) + series.shift_of(i);
        if (!(D > 0) || (i > 0 && piece.step(i) == 0 && D <= kRounding * prior(phi))) {
          return -std::numeric_limits<double>::infinity();
        }
        const double z = b[at(i)] - s_.seen(phi, m.data());
        inverse = 1 / D;
        for (Index j = 0; j < J(); ++j) m[at(j)] += v[at(j)] * (z * inverse);
        squares += z * z * inverse;
        multiply_in(D, product, logs);
      }
    }
    return -0.5 * (logs + std::log(product) + squares);
  }

  void forward(const Filter& f, MatrixRef b) const override {
    Piece piece(f.model_, f.series_);
    const Index T = b.cols();
    Vector m(at(T * J()));
    for (Index p = 0; p < piece_count(f); ++p) {
      piece.load(range_of(f, p));
      for (Index i = piece.range().begin; i < piece.range().end; ++i) {
        const double *phi = piece.phi(i), *g = f.gains_.row(i);
        for (Index t = 0; t < T; ++t) {
          double* const own = m.data() + t * J();
          if (i > 0) s_.advance(own, piece.transition(i));
          const double z = b(i, t) - s_.seen(phi, own);
          b(i, t) = z;
          for (Index j = 0; j < J(); ++j) own[j] += g[j] * z;
        }
      }
    }
  }

  // e = L^-T e
  void backward(const Filter& f, MatrixRef e) const override {
    backward(
        f, e, [](const Piece&, Index) {}, [&](Index i) { return f.gains_.row(i); });
  }
  void backward_of_sides(const Filter& f, MatrixRef e) const override {
    Matrix gains = Matrix::uninitialized(piece(f), J());
    Index first = 0;
    const auto make = [&](const Piece& piece, Index p) {
      first = piece.range().begin;
      make_gains(f, piece, p, gains, [](Index, const Square&) {});
    };
    backward(f, e, make, [&](Index i) { return gains.row(i - first); });
  }
  template <class Begin, class Gain>
  void backward(const Filter& f, MatrixRef e, const Begin& begin, const Gain& gain) const {
    Piece piece(f.model_, f.series_);
    const Index T = e.cols();
    Vector r(at(T * J()));
    for (Index p = piece_count(f); p-- > 0;) {
      piece.load(range_of(f, p));
      begin(piece, p);
      for (Index i = piece.range().end; i-- > piece.range().begin;) {
        const double *phi = piece.phi(i), *g = gain(i);
        for (Index t = 0; t < T; ++t) {
          double* const own = r.data() + t * J();
          double pulled = 0;
          for (Index j = 0; j < J(); ++j) pulled += g[j] * own[j];
          s_.add_seen(e(i, t) -= pulled, phi, own);
          if (i > 0) s_.retreat(own, piece.transition(i));
        }
      }
    }
  }

  // The gains of a piece once more, from the covariance before it; take(i, P before the point).
  template <class Take>
  void make_gains(const Filter& f, const Piece& piece, Index p, Matrix& gains, const Take& take) const {
    const Range range = piece.range();
    Square P = s_.square();
    std::copy_n(f.checkpoints_.row(p), J() * J(), P.begin());
    State v = s_.state();
    double inverse = 0;
    for (Index i = range.begin; i < range.end; ++i) {
      if (i > 0) s_.predict_from(-inverse, v.data(), P.data(), piece.transition(i));
      take(i, P);
      (void)s_.observe(P.data(), piece.phi(i), v.data());
      inverse = 1 / f.D_[at(i)];
      double* const g = gains.row(i - range.begin);
      for (Index j = 0; j < J(); ++j) g[j] = v[at(j)] * inverse;
    }
  }

  // What the points from i on say of the state before i: N, as much as they lower its covariance by P N P.
  void add_point(const double* phi, const double* g, double D, Square& N, State& w, double& own) const {
    s_.multiply(N.data(), g, w.data());
    own = 1 / D;
    for (Index j = 0; j < J(); ++j) own += g[j] * w[at(j)];
    // N - h w' - w h' + own h h'
    for (double& value : w) value *= -2;
    s_.add_seen(own, phi, w.data());
    s_.add_both(phi, w.data(), N.data());
  }

  Vector inverse_diagonal(const Filter& f) const override {
    Piece piece(f.model_, f.series_);
    Square N = s_.square();
    State w = s_.state();
    Vector out(at(f.series_.size()));
    for (Index p = piece_count(f); p-- > 0;) {
      piece.load(range_of(f, p));
      for (Index i = piece.range().end; i-- > piece.range().begin;) {
        add_point(piece.phi(i), f.gains_.row(i), f.D_[at(i)], N, w, out[at(i)]);
        if (i > 0) s_.pull(N.data(), piece.transition(i));
      }
    }
    return out;
  }

  // a = A^-1 b is, of a run, linear in its own z / D, whose variances are 1 / D where b ~ N(0, A), and in r behind it,
  // whose covariance is N: of these the block is the covariance of a.
  Matrix block_of(const Filter& f, Range run, const Square& N) const {
    const Index size = run.size(), inputs = size + J();
    Piece own(f.model_, f.series_);
    own.load(run);
    Matrix r(inputs, J()), a(size, inputs);
    for (Index j = 0; j < J(); ++j) r(size + j, j) = 1;
    for (Index i = run.end; i-- > run.begin;) {
      const double* const g = f.gains_.row(i);
      for (Index c = 0; c < inputs; ++c) {
        double value = c == i - run.begin ? 1 : 0;
        for (Index j = 0; j < J(); ++j) value -= g[j] * r(c, j);
        a(i - run.begin, c) = value;
        s_.add_seen(value, own.phi(i), r.row(c));
        if (i > run.begin) s_.retreat(r.row(c), own.transition(i));
      }
    }
    Matrix out(size, size);
    Vector w(at(J()));
    for (Index i = 0; i < size; ++i) {
      s_.multiply(N.data(), a.row(i) + size, w.data());
      for (Index k = 0; k < size; ++k) {
        for (Index c = 0; c < size; ++c) out(i, k) += a(i, c) * a(k, c) / f.D_[at(run.begin + c)];
        for (Index j = 0; j < J(); ++j) out(i, k) += w[at(j)] * a(k, size + j);
      }
    }
    return out;
  }

  std::vector<Matrix> inverse_blocks(const Filter& f, std::span<const Range> runs) const override {
    std::vector<Matrix> out(runs.size());
    Piece piece(f.model_, f.series_);
    Square N = s_.square();
    State w = s_.state();
    std::size_t left = runs.size();
    double own = 0;
    for (Index p = piece_count(f); p-- > 0;) {
      piece.load(range_of(f, p));
      for (Index i = piece.range().end; i-- > piece.range().begin;) {
        if (left > 0 && i == runs[left - 1].end - 1) {
          --left;
          out[left] = block_of(f, runs[left], N);
        }
        add_point(piece.phi(i), f.gains_.row(i), f.D_[at(i)], N, w, own);
        if (i > 0) s_.pull(N.data(), piece.transition(i));
      }
    }
    return out;
  }

  // With P of the state at t given the points up to t, v = P h: h'v - v'N v, N what the later ones say of it. Times in
  // between leave the passes over the points as they are, so that an answer does not depend on what else is asked.
  Vector variances(const Filter& f, VectorView times) const override {
    const Index n = f.series_.size(), count = static_cast<Index>(times.size());
    Matrix phi = Matrix::uninitialized(count, s_.features()), v = Matrix::uninitialized(count, J());
    f.model_.features(times, phi);
    Vector out(at(count)), step(at(transition_size(f.model_.blocks())));
    Square P = start(), moved = s_.square();
    State w = s_.state();
    Index next = 0;
    const auto answer = [&](double since) {
      moved = P;
      Piece::fill_transitions(f.model_, since, step.data());
      s_.predict(moved.data(), step.data());
      out[at(next)] = s_.observe(moved.data(), phi.row(next), v.row(next));
    };
    Piece piece(f.model_, f.series_);
    for (; next < count && times[at(next)] < f.series_.times[0]; ++next) answer(0);
    for (Index p = 0; p < piece_count(f) && next < count; ++p) {
      piece.load(range_of(f, p));
      for (Index i = piece.range().begin; i < piece.range().end; ++i) {
        if (i > 0) s_.predict(P.data(), piece.transition(i));
        s_.add_square(-f.D_[at(i)], f.gains_.row(i), P.data());
        for (; next < count && (i + 1 == n || times[at(next)] < f.series_.times[at(i + 1)]); ++next) {
          answer(times[at(next)] - f.series_.times[at(i)]);
        }
      }
    }
    Square N = s_.square();
    double own = 0;
    next = count - 1;
    const auto subtract = [&](double until) {
      moved = N;
      Piece::fill_transitions(f.model_, until, step.data());
      s_.pull(moved.data(), step.data());
      s_.multiply(moved.data(), v.row(next), w.data());
      double less = 0;
      for (Index j = 0; j < J(); ++j) less += v(next, j) * w[at(j)];
      out[at(next)] = std::max(0.0, out[at(next)] - less);
    };
    while (next >= 0 && times[at(next)] >= f.series_.times[at(n - 1)]) --next;
    for (Index p = piece_count(f); p-- > 0 && next >= 0;) {
      piece.load(range_of(f, p));
      for (Index i = piece.range().end; i-- > piece.range().begin;) {
        add_point(piece.phi(i), f.gains_.row(i), f.D_[at(i)], N, w, own);
        for (; next >= 0 && (i == 0 || times[at(next)] >= f.series_.times[at(i - 1)]); --next) {
          subtract(f.series_.times[at(i)] - times[at(next)]);
        }
        if (i > 0) s_.pull(N.data(), piece.transition(i));
      }
    }
    return out;
  }

  // The way back through the filter, d value / d being written as G of P, r of m, and so on, with a = A^-1 b:
  //     dD = g'G g - sum_t e g'r + 1/2 sum_t (e^2 - 1/D),   dv = h dD - 2 G g + sum_t r e,   e = z / D
  //     dh = v dD + P dv + sum_t m a,   of P: G + (dv h' + h dv') / 2,   of m: r + h a.
  Filter::Slopes gradient(const Filter& f, const Matrix& mix) const override {
    Filter::Slopes out;
    with_means(mix.cols(), [&](const auto& none) { out = gradient(f, mix, none); });
    return out;
  }
  template <class Means>
  Filter::Slopes gradient(const Filter& f, const Matrix& mix, const Means& no_mean) const {
    const Index n = f.series_.size(), size = piece(f), square = J() * J();
    const Index T = columns_of(no_mean), sides = mix.rows();
    Piece piece(f.model_, f.series_);
    Matrix z = Matrix::uninitialized(size, T);  // of the piece
    Means first = no_mean;                      // before it
    Filter::Slopes out{Vector(at(f.model_.parameters())), Vector(at(n))};
    MotionSlopes motions = f.model_.no_slopes();
    Damping damping(f.model_.blocks());
    Matrix covariances = Matrix::uninitialized(size, square), means = Matrix::uninitialized(size, T * J());
    Matrix gains = Matrix::uninitialized(size, J());
    Square G = s_.square();
    State w = s_.state(), x = s_.state();
    Means m = no_mean, r = no_mean;
    auto seen = s_.feature();
    for (Index p = piece_count(f); p-- > 0;) {
      const Range range = range_of(f, p);
      piece.load(range);
      make_gains(f, piece, p, gains,
                 [&](Index i, const Square& P) { std::copy(P.begin(), P.end(), covariances.row(i - range.begin)); });
      for (Index t = 0; t < T; ++t) {
        for (Index j = 0; j < J(); ++j) {
          double sum = 0;
          for (Index c = 0; c < sides; ++c) sum += f.first_means_(p, c * J() + j) * mix(c, t);
          first[at(t * J() + j)] = sum;
        }
      }
      m = first;
      for (Index i = range.begin; i < range.end; ++i) {
        double* const own = z.row(i - range.begin);
        for (Index t = 0; t < T; ++t) {
          own[t] = 0;
          for (Index c = 0; c < sides; ++c) own[t] += f.innovations_(i, c) * mix(c, t);
        }
        for (Index t = 0; t < T && i > 0; ++t) s_.advance(m.data() + t * J(), piece.transition(i));
        std::copy(m.begin(), m.end(), means.row(i - range.begin));
        for (Index t = 0; t < T; ++t) {
          for (Index j = 0; j < J(); ++j) m[at(t * J() + j)] += gains(i - range.begin, j) * own[t];
        }
      }
      Matrix adjoint = Matrix::uninitialized(range.size(), s_.features());
      for (Index i = range.end; i-- > range.begin;) {
        const double *phi = piece.phi(i), *g = gains.row(i - range.begin), *before = covariances.row(i - range.begin);
        const double *mean = means.row(i - range.begin), D = f.D_[at(i)], inverse = 1 / D;
        s_.multiply(G.data(), g, w.data());
        double by_D = -0.5 * static_cast<double>(T) * inverse;
        for (Index j = 0; j < J(); ++j) {
          by_D += g[j] * w[at(j)];
          x[at(j)] = -2 * w[at(j)];
        }
        double* const bar = adjoint.row(i - range.begin);
        std::fill_n(bar, s_.features(), 0.0);
        for (Index t = 0; t < T; ++t) {
          double* const own = r.data() + t * J();
          const double e = z(i - range.begin, t) * inverse;
          double pulled = 0;
          for (Index j = 0; j < J(); ++j) {
            pulled += g[j] * own[j];
            x[at(j)] += own[j] * e;
          }
          const double a = e - pulled;
          by_D += e * (0.5 * e - pulled);
          s_.add_seen(a, phi, own);
          s_.take_seen(mean + t * J(), seen.data());
          for (Index k = 0; k < s_.features(); ++k) bar[k] += seen[at(k)] * a;
        }
        out.by_shift[at(i)] = by_D;
        // of h: 2 v dD + P x + sum_t m a, v = D g; x without its part h dD
        s_.multiply_seen(before, x.data(), seen.data());
        for (Index k = 0; k < s_.features(); ++k) bar[k] += seen[at(k)];
        s_.take_seen(g, seen.data());
        for (Index k = 0; k < s_.features(); ++k) bar[k] += 2 * D * by_D * seen[at(k)];
        s_.add_seen(by_D, phi, x.data());
        s_.add_both(phi, x.data(), G.data());
        if (i == 0) continue;
        s_.add_rates(G.data(), before, r.data(), mean, T, piece.step(i), motions);
        if (damping.any()) {
          // The state after the point before this one. Copies, so that what goes on stays where it is.
          Square P = s_.square();
          Means m = no_mean;
          if (i > range.begin) {
            std::copy_n(covariances.row(i - 1 - range.begin), square, P.begin());
            std::copy_n(means.row(i - 1 - range.begin), T * J(), m.begin());
            s_.add_square(-f.D_[at(i - 1)], gains.row(i - 1 - range.begin), P.data());
            for (Index t = 0; t < T; ++t) {
              for (Index j = 0; j < J(); ++j)
                m[at(t * J() + j)] += gains(i - 1 - range.begin, j) * z(i - 1 - range.begin, t);
            }
          } else {
            std::copy_n(f.checkpoints_.row(p), square, P.begin());
            m = first;
          }
          const Square by_P = G;  // NOLINT(performance-unnecessary-copy-initialization): see above
          const Means by_m = r;   // NOLINT(performance-unnecessary-copy-initialization)
          damping.add(by_P.data(), P.data(), by_m.data(), m.data(), T, piece.step(i), piece.transition(i), motions);
        }
        s_.pull(G.data(), piece.transition(i));
        for (Index t = 0; t < T; ++t) s_.retreat(r.data() + t * J(), piece.transition(i));
      }
      for (Index i = 0; i < range.size() && !f.series_.factors.empty(); ++i) {
        for (Index k = 0; k < s_.features(); ++k) adjoint(i, k) *= f.series_.factors[at(range.begin + i)];
      }
      const VectorView times = VectorView(f.series_.times).subspan(at(range.begin), at(range.size()));
      if (f.series_.factors.empty()) {
        f.model_.pull_features(times, f.series_.times[0], piece.features(), adjoint, out.by_parameter);
      } else {
        Matrix plain = Matrix::uninitialized(range.size(), s_.features());
        f.model_.features(times, plain);
        f.model_.pull_features(times, f.series_.times[0], plain, adjoint, out.by_parameter);
      }
    }
    f.model_.pull_motions(motions, out.by_parameter);
    return out;
  }

 private:
  Index J() const { return s_.states(); }

  Square start() const {
    Square P = s_.square();
    s_.stationary(P.data());
    return P;
  }
  // k(t, t): the first components of all motions have the variance 1.
  double prior(const double* phi) const {
    double sum = 0;
    for (Index k = 0; k < s_.features(); ++k) sum += phi[k] * phi[k];
    return sum;
  }
  // The logarithm of a product of many costs as much as that of one.
  static void multiply_in(double D, double& product, double& logs) {
    const double more = product * D;
    if (more > 1e-100 && more < 1e100) {
      product = more;
      return;
    }
    logs += std::log(product) + std::log(D);
    product = 1;
  }
  // use(zeros) for the means of T columns: of few columns and few states the compiler knows how many.
  template <class Use>
  void with_means(Index T, const Use& use) const {
    if constexpr (!std::is_same_v<State, Vector>) {
      constexpr auto kStates = static_cast<std::size_t>(States::states());
      if (T == 0) return use(std::array<double, 0>{});
      if (T == 1) return use(std::array<double, kStates>{});
      if (T == 2) return use(std::array<double, 2 * kStates>{});
    }
    use(Vector(at(T * J())));
  }
  template <class Means>
  Index columns_of(const Means& m) const {
    return static_cast<Index>(m.size()) / J();
  }

  States s_;
};

namespace {

std::unique_ptr<const Passes> passes_for(const StateSpace& model) {
  const std::vector<Block>& blocks = model.blocks();
  if (blocks.size() == 1 && blocks.front().copies == 1 && blocks.front().motion.moves()) {
    switch (model.states()) {
      case 1: return std::make_unique<PassesOf<Single<1>>>(model);
      case 2: return std::make_unique<PassesOf<Single<2>>>(model);
      case 3: return std::make_unique<PassesOf<Single<3>>>(model);
      case 4: return std::make_unique<PassesOf<Single<4>>>(model);
      case 5: return std::make_unique<PassesOf<Single<5>>>(model);
      default: break;
    }
  }
  return std::make_unique<PassesOf<Blocks>>(model);
}

}  // namespace

Filter::Filter(StateSpace model, Series series, const Monitor& monitor)
    : Filter(std::move(model), std::move(series), Matrix(), monitor) {}
Filter::Filter(StateSpace model, Series series, Matrix sides, const Monitor& monitor)
    : model_(std::move(model)),
      series_(std::move(series)),
      passes_(passes_for(model_)),
      innovations_(std::move(sides)) {
  passes_->run(*this, monitor);
}
Filter::~Filter() = default;

double Filter::least_shift() const { return *std::min_element(series_.shift.begin(), series_.shift.end()); }

double Filter::bytes() const {
  double numbers = 0;
  for (const Matrix* const m : {&gains_, &checkpoints_, &innovations_, &first_means_}) {
    numbers += static_cast<double>(m->rows() * m->cols());
  }
  return sizeof(double) * (numbers + static_cast<double>(D_.size() + series_.times.size() + series_.factors.size()));
}

void Filter::forward(MatrixRef b) const {
  passes_->forward(*this, b);
  for (Index i = 0; i < b.rows(); ++i) {
    const double root = std::sqrt(D_[at(i)]);
    for (Index t = 0; t < b.cols(); ++t) b(i, t) /= root;
  }
}

void Filter::solve(MatrixRef b) const {
  passes_->forward(*this, b);
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index t = 0; t < b.cols(); ++t) b(i, t) /= D_[at(i)];
  }
  passes_->backward(*this, b);
}

Vector Filter::inverse_diagonal() const { return passes_->inverse_diagonal(*this); }
std::vector<Matrix> Filter::inverse_blocks(std::span<const Range> runs) const {
  return passes_->inverse_blocks(*this, runs);
}
Vector Filter::variances(VectorView times) const { return passes_->variances(*this, times); }
Filter::Slopes Filter::gradient(const Matrix& mix) const { return passes_->gradient(*this, mix); }

Matrix Filter::products() const {
  const Index count = innovations_.cols();
  Matrix out(count, count);
  for (Index i = 0; i < series_.size(); ++i) {
    const double *z = innovations_.row(i), inverse = 1 / D_[at(i)];
    for (Index a = 0; a < count; ++a) {
      for (Index b = 0; b <= a; ++b) out(a, b) += z[a] * z[b] * inverse;
    }
  }
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < a; ++b) out(b, a) = out(a, b);
  }
  return out;
}

Vector Filter::quadratics(const Matrix& mix) const {
  Vector out(at(mix.cols()));
  for (Index i = 0; i < series_.size(); ++i) {
    for (Index t = 0; t < mix.cols(); ++t) {
      double z = 0;
      for (Index c = 0; c < mix.rows(); ++c) z += innovations_(i, c) * mix(c, t);
      out[at(t)] += z * z / D_[at(i)];
    }
  }
  return out;
}

void Filter::solve_sides(const Matrix& mix, MatrixRef out) const {
  for (Index i = 0; i < series_.size(); ++i) {
    for (Index t = 0; t < mix.cols(); ++t) {
      double z = 0;
      for (Index c = 0; c < mix.rows(); ++c) z += innovations_(i, c) * mix(c, t);
      out(i, t) = z / D_[at(i)];
    }
  }
  passes_->backward_of_sides(*this, out);
}

namespace {

// take(i, k(t_i, t_i))
template <class Take>
void for_priors(const StateSpace& model, VectorView times, const Take& take) {
  constexpr Index kAtOnce = 256;
  const auto n = static_cast<Index>(times.size());
  Matrix phi = Matrix::uninitialized(std::min(n, kAtOnce), model.features());
  for (Index first = 0; first < n; first += kAtOnce) {
    const Index count = std::min(kAtOnce, n - first);
    model.features(times.subspan(at(first), at(count)), phi);
    for (Index i = 0; i < count; ++i) take(at(first + i), simd::dot(phi.row(i), phi.row(i), at(phi.cols())));
  }
}

}  // namespace

Vector priors(const StateSpace& model, VectorView times) {
  Vector out(times.size());
  for_priors(model, times, [&](std::size_t i, double value) { out[i] = value; });
  return out;
}

double trace(const StateSpace& model, const Series& series) {
  double out = 0;
  for_priors(model, series.times, [&](std::size_t i, double value) {
    const double factor = series.factors.empty() ? 1 : series.factors[i];
    out += factor * factor * value;
  });
  return out;
}

double log_density(const StateSpace& model, const Series& series, VectorView b) {
  return passes_for(model)->density(model, series, b);
}

}  // namespace mercer::state_space
