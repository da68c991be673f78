#include "kernel/matern_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <numbers>

namespace mercer::detail {

namespace {

using Real = long double;  // where double would lose digits to cancellation: powers of s against Gamma(nu)

// Terms this far below the largest add nothing.
constexpr Real kNegligible = 50;

// log of sum_k' cosh(nu k h), k = 0..n, the first term halved.
Real log_flat_sum(Real nu, Real h, Real n) {
  const Real end = (n + 0.5L) * nu * h;
  return end + std::log1p(-std::exp(-2 * end)) - std::log(4 * std::sinh(nu * h / 2));
}

// log M(s) by the trapezoidal rule, in terms relative to the peak of the integrand.
class Integral {
 public:
  explicit Integral(Real nu) : nu_(nu), log_gamma_(std::lgamma(nu)) {}

  Real log_matern(Real s) { return std::numbers::ln2_v<Real> - log_gamma_ + nu_ * std::log(s / 2) + log_bessel_k(s); }

 private:
  static constexpr Real kWidest = 0.15L;

  Real log_bessel_k(Real s) {
    const Real width = std::hypot(nu_, s), peak = std::asinh(nu_ / s), top = nu_ * peak - width;
    const Real h = std::min(kWidest, std::sqrt(0.4L / width));
    // Up to here exp(-s cosh t) is 1, and the sum of what is left a geometric one.
    const Real flat = std::floor(std::log(2e-22L / s) / h);
    Real sum = flat >= 0 ? std::exp(log_flat_sum(nu_, h, flat) - top) : 0;
    const Real first = std::max({flat + 1, Real{0}, std::floor((peak - 2 * kNegligible / nu_ - 10) / h)});
    for (auto k = static_cast<std::size_t>(first);; ++k) {
      const Real t = static_cast<Real>(k) * h;
      const auto [cosh, cosh_nu] = h == kWidest ? shared(k) : node(t);
      const Real height = nu_ * t + cosh_nu - s * cosh - top;
      if (t > peak && height < -kNegligible) break;
      sum += static_cast<Real>(std::exp(static_cast<double>(height))) * (k == 0 ? 0.5L : 1.0L);
    }
    return top + std::log(h * sum);
  }

  struct Node {
    Real cosh, cosh_nu;  // cosh t, log(cosh(nu t)) - nu t
  };
  Node node(Real t) const { return {std::cosh(t), std::log1p(std::exp(-2 * nu_ * t)) - std::numbers::ln2_v<Real>}; }
  // The widest step serves all s that are not large: its nodes are kept.
  Node shared(std::size_t k) {
    while (kept_.size() <= k) kept_.push_back(node(static_cast<Real>(kept_.size()) * kWidest));
    return kept_[k];
  }

  Real nu_, log_gamma_;
  std::vector<Node> kept_;
};

// From values at the Chebyshev nodes cos(pi (2j + 1) / (2 n)) to the coefficients of powers.
template <std::size_t n>
std::array<double, n> powers_of(const std::array<Real, n>& values) {
  std::array<Real, n> before{}, now{}, total{};  // T_(k-1), T_k as powers
  before[0] = 0;
  now[0] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    Real c = 0;
    for (std::size_t j = 0; j < n; ++j) {
      c += values[j] *
           std::cos(std::numbers::pi_v<Real> * static_cast<Real>(k * (2 * j + 1)) / static_cast<Real>(2 * n));
    }
    c *= (k == 0 ? 1.0L : 2.0L) / static_cast<Real>(n);
    for (std::size_t p = 0; p < n; ++p) total[p] += c * now[p];
    std::array<Real, n> next{};
    for (std::size_t p = 0; p < n; ++p) {
      if (p > 0) next[p] = (k == 0 ? 1 : 2) * now[p - 1];
      next[p] -= before[p];
    }
    before = now;
    now = next;
  }
  std::array<double, n> out;
  for (std::size_t p = 0; p < n; ++p) out[p] = static_cast<double>(total[p]);
  return out;
}

}  // namespace

// Below the lowest interval 1 - M, of the size of s^(2 nu) or s^2, is nothing beside 1; beyond the highest M is 0.
MaternTable::MaternTable(double nu) {
  constexpr int kSmallest = -1021;
  lowest_ = static_cast<int>(std::max<double>(kSmallest, std::floor(-60 / (2 * std::min(nu, 1.0))) - 4));
  Integral integral(nu);
  for (int e = lowest_; e < 10 || integral.log_matern(std::ldexp(Real{1}, e)) > -800; ++e) {
    std::array<Real, kTerms> values{};
    for (std::size_t j = 0; j < kTerms; ++j) {
      const Real node =
          std::cos(std::numbers::pi_v<Real> * static_cast<Real>(2 * j + 1) / static_cast<Real>(2 * kTerms));
      const Real s = std::ldexp(1 + (1 + node) / 2, e);
      values[j] = integral.log_matern(s) + s;
    }
    intervals_.push_back(powers_of(values));
  }
}

std::shared_ptr<const MaternTable> MaternTable::of(double nu) {
  static std::mutex mutex;
  static std::map<double, std::shared_ptr<const MaternTable>> known;
  constexpr std::size_t kMost = 64;
  const std::lock_guard lock(mutex);
  auto& table = known[nu];
  if (!table) {
    auto made = std::make_shared<const MaternTable>(nu);
    if (known.size() > kMost) known.clear();
    known[nu] = made;
    return made;
  }
  return table;
}

MaternTable::Place MaternTable::place(double s) const {
  const auto bits = std::bit_cast<std::uint64_t>(s);
  const int interval = static_cast<int>(bits >> 52) - 1023 - lowest_;
  if (interval < 0 || interval >= static_cast<int>(intervals_.size())) return {nullptr, 0};
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1, kOne = std::uint64_t{1023} << 52;
  const double m = std::bit_cast<double>((bits & kMantissa) | kOne);  // in [1, 2)
  return {&intervals_[static_cast<std::size_t>(interval)], 2 * m - 3};
}

double MaternTable::value(double s) const {
  const auto [terms, x] = place(s);
  if (terms == nullptr) return s < 1 ? s : 0;
  const double x2 = x * x;
  double even = (*terms)[kTerms - 2], odd = (*terms)[kTerms - 1];
  for (std::size_t p = kTerms - 2; p >= 2; p -= 2) {
    even = even * x2 + (*terms)[p - 2];
    odd = odd * x2 + (*terms)[p - 1];
  }
  return even + x * odd;
}

double MaternTable::slope(double s) const {
  const auto [terms, x] = place(s);
  if (terms == nullptr) return s < 1 ? 1 : 0;
  double slope = 0;
  for (std::size_t p = kTerms - 1; p >= 1; --p) slope = slope * x + static_cast<double>(p) * (*terms)[p];
  return std::ldexp(2 * slope, -std::ilogb(s));
}

// With p = nu - 1/2: a_k = p! / (2p)! (2p-k)! / ((p-k)! k!) 2^k (Rasmussen & Williams 2006, eq. 4.16).
Vector matern_polynomial(double nu) {
  constexpr double kMost = 20;
  const double p = nu - 0.5;
  if (p != std::floor(p) || p < 0 || p > kMost) return {};
  Vector a{1};
  for (double k = 0; k < p; ++k) a.push_back(a.back() * 2 * (p - k) / ((2 * p - k) * (k + 1)));
  return a;
}

}  // namespace mercer::detail
