#include "state_space/motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "base/at.hpp"
#include "kernel/oscillation.hpp"
#include "simd/loops.hpp"

namespace mercer::state_space {

namespace {

constexpr int kMost = kMostOrder + 1;
using Square = std::array<double, static_cast<std::size_t>(kMost) * kMost>;  // by rows of the size in use

double binomial(int n, int k) {
  double out = 1;
  for (int i = 1; i <= k; ++i) out = out * (n - k + i) / i;
  return out;
}

double factorial(int n) {
  double out = 1;
  for (int i = 2; i <= n; ++i) out *= i;
  return out;
}

// Of matern with nu = p + 1/2 in units of its rate: (d/dt + 1)^(p+1) f = white noise of intensity q.
//     Phi(u) = exp(-u) sum_k N^k u^k / k!                     with N = F + 1, whose power p + 1 is 0
//     Q_ab(u) = q int_0^u g^(a) g^(b),  g = s^p exp(-s) / p!
//             = sum_m c_abm G_m(2u),    G_m(x) = int_0^x s^m exp(-s) ds / m! = exp(-x) sum_(k > m) x^k / k!
struct MaternTable {
  int size = 0;
  Square F = {};
  double intensity = 0;
  std::array<Square, kMost> powers = {};           // N^k / k!
  std::array<Square, 2 * kMostOrder + 1> of = {};  // c_m
  Square stationary = {};
  double series_below = 0;  // 2u from which on G_m is taken as 1 - ..., which loses three digits at most

  explicit MaternTable(int p) : size(p + 1) {
    const auto at = [this](int a, int b) { return mercer::at(a * size + b); };
    for (int a = 0; a + 1 < size; ++a) F[at(a, a + 1)] = 1;
    for (int b = 0; b < size; ++b) F[at(p, b)] = -binomial(size, b);
    Square N = F;
    for (int a = 0; a < size; ++a) {
      N[at(a, a)] += 1;
      powers[0][at(a, a)] = 1;
    }
    for (int k = 1; k < size; ++k) {
      for (int a = 0; a < size; ++a) {
        for (int b = 0; b < size; ++b) {
          double sum = 0;
          for (int c = 0; c < size; ++c) sum += N[at(a, c)] * powers[static_cast<std::size_t>(k - 1)][at(c, b)];
          powers[static_cast<std::size_t>(k)][at(a, b)] = sum / k;
        }
      }
    }
    intensity = factorial(p) * factorial(p) * std::exp2(2 * p + 1) / factorial(2 * p);
    // g^(a) = exp(-s) sum_k polynomials[a][k] s^k
    std::array<std::array<double, kMost + 1>, kMost> polynomials = {};
    polynomials[0][static_cast<std::size_t>(p)] = 1 / factorial(p);
    for (std::size_t a = 1; a < static_cast<std::size_t>(size); ++a) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(size); ++k) {
        polynomials[a][k] = static_cast<double>(k + 1) * polynomials[a - 1][k + 1] - polynomials[a - 1][k];
      }
    }
    for (int a = 0; a < size; ++a) {
      for (int b = 0; b < size; ++b) {
        for (int k = 0; k <= p; ++k) {
          for (int l = 0; l <= p; ++l) {
            const auto &left = polynomials[static_cast<std::size_t>(a)],
                       &right = polynomials[static_cast<std::size_t>(b)];
            of[mercer::at(k + l)][at(a, b)] += intensity * left[static_cast<std::size_t>(k)] *
                                               right[static_cast<std::size_t>(l)] * factorial(k + l) /
                                               std::exp2(k + l + 1);
          }
        }
        for (const Square& c : of) stationary[at(a, b)] += c[at(a, b)];
      }
    }
    constexpr std::array<double, kMost> kSeriesBelow = {1e-3, 0.2, 1.0, 2.2, 3.6};
    series_below = kSeriesBelow[static_cast<std::size_t>(p)];
  }
};

const MaternTable& table(int order) {
  static const std::array<MaternTable, kMost> all = {MaternTable(0), MaternTable(1), MaternTable(2), MaternTable(3),
                                                     MaternTable(4)};
  return all[static_cast<std::size_t>(order)];
}

// G_m(x) for m = 0..last. Sums of positive terms where 1 - ... would cancel.
template <int last>
void gamma_shares(double x, double exp_minus_x, double series_below, double* out) {
  constexpr std::size_t kTerms = last == 4 ? 17 : 25;  // behind the first: below series_below the rest is rounding
  static constexpr auto kInverse = [] {
    std::array<double, kTerms + last + 2> all{};
    for (std::size_t k = 1; k < all.size(); ++k) all[k] = 1 / static_cast<double>(k);
    return all;
  }();
  std::array<double, last + 2> terms{};  // exp(-x) x^k / k!
  terms[0] = exp_minus_x;
  for (std::size_t k = 1; k < terms.size(); ++k) terms[k] = terms[k - 1] * (x * kInverse[k]);
  if (x >= series_below) {
    double sum = 0;
    for (std::size_t m = 0; m <= last; ++m) out[m] = 1 - (sum += terms[m]);
    return;
  }
  double tail = 1;
  for (std::size_t k = kTerms; k >= 1; --k) tail = 1 + x * kInverse[last + 1 + k] * tail;
  tail *= terms[last + 1];
  for (std::size_t m = last + 1; m-- > 0;) {
    out[m] = tail;
    tail += terms[m];
  }
}

template <int order>
void table_transition(double u, double e, double* phi, double* q) {
  static const MaternTable& t = table(order);
  constexpr std::size_t kEntries = (order + 1) * (order + 1);
  std::array<double, 2 * order + 1> shares{};
  gamma_shares<2 * order>(2 * u, e * e, t.series_below, shares.data());
  std::array<double, kEntries> value{}, noise{};
  double power = e;
  for (std::size_t k = 0; k <= order; ++k, power *= u) {
    for (std::size_t ab = 0; ab < kEntries; ++ab) value[ab] += power * t.powers[k][ab];
  }
  for (std::size_t m = 0; m <= 2 * order; ++m) {
    for (std::size_t ab = 0; ab < kEntries; ++ab) noise[ab] += t.of[m][ab] * shares[m];
  }
  for (std::size_t ab = 0; ab < kEntries; ++ab) {
    phi[ab] = e == 0 ? 0 : value[ab];
    q[ab] = noise[ab];
  }
}

// exp(x) - 1 - x - x^2/2 for 0 <= x < 0.2, to rounding.
double exp_behind_square(double x) {
  const double x2 = x * x;
  return x2 * x *
         (((1.0 / 6 + x * (1.0 / 24)) + x2 * (1.0 / 120 + x * (1.0 / 720))) +
          x2 * x2 * ((1.0 / 5040 + x * (1.0 / 40320)) + x2 * (1.0 / 362880 + x * (1.0 / 3628800))));
}

// Of a step u, with e = exp(-u).
template <int order>
void matern_transition(double u, double e, double* phi, double* q) {
  const double x = 2 * u, e2 = e * e;
  if constexpr (order == 0) {
    phi[0] = e;
    q[0] = x < 0.2 ? e2 * (x + x * x / 2 + exp_behind_square(x)) : 1 - e2;
  } else if constexpr (order == 1) {  // Q without a table: series are short where they are needed
    const double eu = e * u;
    phi[0] = e + eu;
    phi[1] = eu;
    phi[2] = -eu;
    phi[3] = e - eu;
    q[0] = x < 0.2 ? e2 * exp_behind_square(x) : 1 - e2 * (1 + x + x * x / 2);
    q[1] = q[2] = e2 * x * x / 2;
    q[3] = q[0] + e2 * 2 * x;  // 1 - e2 (1 - x + x^2/2)
  } else {
    table_transition<order>(u, e, phi, q);
  }
}

// use(order), for an order that the compiler knows.
template <class Use>
void with_order(int order, const Use& use) {
  switch (order) {
    case 0: return use(std::integral_constant<int, 0>());
    case 1: return use(std::integral_constant<int, 1>());
    case 2: return use(std::integral_constant<int, 2>());
    case 3: return use(std::integral_constant<int, 3>());
    default: return use(std::integral_constant<int, 4>());
  }
}

void matern_transitions(const Process& p, VectorView dt, Index stride, double* to) {
  thread_local Vector e;
  e.resize(dt.size());
  const double minus_rate = -p.rate;
  const double* const exponents = dt.data();
  const simd::Monomial exponential{.scale = 1,
                                   .n_factors = 0,
                                   .factors = nullptr,
                                   .n_exponents = 1,
                                   .exponents = &exponents,
                                   .coefficients = &minus_rate};
  simd::monomial(exponential, false, dt.size(), e.data(), nullptr);
  with_order(p.order, [&](auto order) {
    for (std::size_t i = 0; i < dt.size(); ++i, to += stride) {
      matern_transition<order>(p.rate * dt[i], e[i], to, to + (order + 1) * (order + 1));
    }
  });
}

// The state of an oscillator (kernel/oscillation.hpp), (f, f'), has P = 1 and
//     Phi = [c + d S, S; -S, c - d S].
// Steps so small that Q is summed up from its Taylor series: Q' = F Q + Q F' + W.
bool is_small(double d, double u) { return (1 + 2 * d) * u < 0.5; }

void oscillator_transition(double d, double u, double* phi, double* q) {
  const detail::Oscillation o = detail::oscillation(d, u);
  phi[0] = o.c + d * o.S;
  phi[1] = o.S;
  phi[2] = -o.S;
  phi[3] = o.c - d * o.S;
  if (!is_small(d, u)) {
    const double lost = -std::expm1(-2 * d * u), both = 2 * d * o.c * o.S, square = 2 * d * d * o.S * o.S;
    q[0] = lost - both - square;
    q[1] = q[2] = 2 * d * o.S * o.S;
    q[3] = lost + both - square;
    return;
  }
  double a = 0, b = 0, c = 4 * d * u;  // terms of Q11, Q12, Q22
  q[0] = q[1] = 0;
  q[3] = c;
  for (int k = 2; k < 40 && std::abs(a) + std::abs(b) + std::abs(c) > 1e-18 * q[0]; ++k) {
    const double f = u / k, next_a = f * 2 * b, next_b = f * (c - a - 2 * d * b), next_c = f * (-2 * b - 4 * d * c);
    q[0] += a = next_a;
    q[1] += b = next_b;
    q[3] += c = next_c;
  }
  q[2] = q[1];
}

void oscillator_by_damping(double d, double u, double* dphi, double* dq) {
  const detail::Oscillation o = detail::oscillation(d, u);
  const double dc = o.dc, dS = o.dS;
  dphi[0] = dc + o.S + d * dS;
  dphi[1] = dS;
  dphi[2] = -dS;
  dphi[3] = dc - o.S - d * dS;
  if (!is_small(d, u)) {
    const double e = std::exp(-2 * d * u);
    const double dlost = 2 * u * e, dboth = 2 * (o.c * o.S + d * (dc * o.S + o.c * dS));
    const double dsquare = 4 * d * o.S * (o.S + d * dS);
    dq[0] = dlost - dboth - dsquare;
    dq[1] = dq[2] = 2 * o.S * (o.S + 2 * d * dS);
    dq[3] = dlost + dboth - dsquare;
    return;
  }
  double a = 0, b = 0, c = 4 * d * u, da = 0, db = 0, dc2 = 4 * u;
  dq[0] = dq[1] = 0;
  dq[3] = dc2;
  for (int k = 2; k < 40 && std::abs(da) + std::abs(db) + std::abs(dc2) > 1e-18 * std::abs(dq[0]); ++k) {
    const double f = u / k;
    const double next_da = f * 2 * db, next_db = f * (dc2 - da - 2 * d * db - 2 * b),
                 next_dc = f * (-2 * db - 4 * d * dc2 - 4 * c);
    const double next_a = f * 2 * b, next_b = f * (c - a - 2 * d * b), next_c = f * (-2 * b - 4 * d * c);
    dq[0] += da = next_da;
    dq[1] += db = next_db;
    dq[3] += dc2 = next_dc;
    a = next_a;
    b = next_b;
    c = next_c;
  }
  dq[2] = dq[1];
}

void own_transition(const Process& p, double dt, double* phi, double* q) {
  if (p.kind == Process::Kind::white) {
    *phi = dt == 0 ? 1 : 0;
    *q = 1 - *phi;
    return;
  }
  const double u = p.rate * dt;
  if (p.kind == Process::Kind::matern) {
    return with_order(p.order, [&](auto order) { matern_transition<order>(u, std::exp(-u), phi, q); });
  }
  oscillator_transition(p.damping, u, phi, q);
}

Matrix one() { return Matrix(1, 1, 1.0); }

Matrix own_generator(const Process& p) {
  if (p.kind == Process::Kind::white) return Matrix(1, 1);  // it has no rate
  if (p.kind == Process::Kind::oscillator) return Matrix({{0, 1}, {-1, -2 * p.damping}});
  const MaternTable& t = table(p.order);
  Matrix out(t.size, t.size);
  std::copy_n(t.F.begin(), t.size * t.size, out.data());
  return out;
}

Matrix own_stationary(const Process& p) {
  if (p.kind == Process::Kind::white) return one();
  if (p.kind == Process::Kind::oscillator) return Matrix({{1, 0}, {0, 1}});
  const MaternTable& t = table(p.order);
  Matrix out(t.size, t.size);
  std::copy_n(t.stationary.begin(), t.size * t.size, out.data());
  return out;
}

Matrix kronecker(const Matrix& a, const Matrix& b) {
  Matrix out = Matrix::uninitialized(a.rows() * b.rows(), a.cols() * b.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = a(i / b.rows(), j / b.cols()) * b(i % b.rows(), j % b.cols());
  }
  return out;
}

Matrix identity(Index n) {
  Matrix out(n, n);
  for (Index i = 0; i < n; ++i) out(i, i) = 1;
  return out;
}

void copy(const Matrix& from, double* to) { std::copy_n(from.data(), from.rows() * from.cols(), to); }

// Phi, Q and what a step keeps of P, Phi P Phi' = P - Q.
struct Step {
  Matrix phi, q, kept;
};
Step step_of(const Process& p, double dt) {
  const Index n = p.size();
  Step out{Matrix(n, n), Matrix(n, n), own_stationary(p)};
  own_transition(p, dt, out.phi.data(), out.q.data());
  for (Index e = 0; e < n * n; ++e) out.kept.data()[e] -= out.q.data()[e];
  return out;
}

}  // namespace

Motion::Motion(std::vector<Process> processes) : processes_(std::move(processes)), stationary_(one()) {
  for (const Process& p : processes_) {
    size_ *= p.size();
    stationary_ = kronecker(stationary_, own_stationary(p));
  }
  for (std::size_t k = 0; k < processes_.size(); ++k) {
    Matrix F = one();
    for (std::size_t l = 0; l < processes_.size(); ++l) {
      F = kronecker(F, l == k ? own_generator(processes_[l]) : identity(processes_[l].size()));
    }
    Matrix W(size_, size_);  // -(F P + P F')
    for (Index a = 0; a < size_; ++a) {
      for (Index b = 0; b < size_; ++b) {
        for (Index c = 0; c < size_; ++c) W(a, b) -= F(a, c) * stationary_(c, b) + stationary_(a, c) * F(b, c);
      }
    }
    generators_.push_back(std::move(F));
    diffusions_.push_back(std::move(W));
  }
}

// Q of a product: Q1 x P2 + (P1 - Q1) x Q2, sums of what is positive semi-definite.
void Motion::transition(double dt, double* phi, double* q) const {
  if (processes_.size() == 1) return own_transition(processes_.front(), dt, phi, q);
  Matrix all = one(), noise(1, 1), kept = one();
  for (const Process& p : processes_) {
    const Step step = step_of(p, dt);
    Matrix more = kronecker(noise, own_stationary(p));
    const Matrix fresh = kronecker(kept, step.q);
    for (Index e = 0; e < more.rows() * more.cols(); ++e) more.data()[e] += fresh.data()[e];
    noise = std::move(more);
    kept = kronecker(kept, step.kept);
    all = kronecker(all, step.phi);
  }
  copy(all, phi);
  copy(noise, q);
}

void Motion::transitions(VectorView dt, Index stride, double* to) const {
  if (processes_.size() == 1 && processes_.front().kind == Process::Kind::matern) {
    return matern_transitions(processes_.front(), dt, stride, to);
  }
  for (const double step : dt) {
    transition(step, to, to + size_ * size_);
    to += stride;
  }
}

void Motion::by_damping(double dt, std::size_t process, double* dphi, double* dq) const {
  if (processes_.size() == 1) {
    const Process& p = processes_.front();
    return oscillator_by_damping(p.damping, p.rate * dt, dphi, dq);
  }
  Matrix all = one(), noise = one();
  for (std::size_t l = 0; l < processes_.size(); ++l) {
    Step step = step_of(processes_[l], dt);
    if (l == process) {
      const Process& p = processes_[l];
      oscillator_by_damping(p.damping, p.rate * dt, step.phi.data(), step.kept.data());
    }
    all = kronecker(all, step.phi);
    noise = kronecker(noise, step.kept);
  }
  copy(all, dphi);
  copy(noise, dq);
}

}  // namespace mercer::state_space
