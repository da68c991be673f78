// Is this formula a kernel of the catalog? Fit the parameters from a few values, then compare at many pairs.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "base/dot.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "check/suspect.hpp"
#include "mercer/check.hpp"

namespace mercer {

namespace {

using Parameters = Vector;  // the factor in front, then those of the family

// ---- the shapes of the catalog ----

double distance(VectorView x, VectorView y) {
  if (x.size() == 1) return std::abs(x[0] - y[0]);
  double s = 0;
  for (std::size_t i = 0; i < x.size(); ++i) s += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(s);
}
double distance1(VectorView x, VectorView y) {
  double s = 0;
  for (std::size_t i = 0; i < x.size(); ++i) s += std::abs(x[i] - y[i]);
  return s;
}
double matern(double nu, double s) { return (nu < 2 ? 1 + s : 1 + s + s * s / 3) * std::exp(-s); }

// The values of the formula near the origin that fits are made from.
struct Probe {
  const Formula& formula;
  Index dimension;

  double operator()(double x, double y) const {
    Vector u(static_cast<std::size_t>(dimension)), v(u);
    u[0] = x;
    v[0] = y;
    return formula(u, v);
  }
  double variance() const { return (*this)(0, 0); }
  // k(0, r)/k(0, 0)
  double correlation(double r) const { return (*this)(0, r) / variance(); }
  // A distance at which the correlation is near 1/2, where a scale is read off best.
  std::optional<double> half_way() const {
    double best = 0.45, at = 0;
    for (int k = -30; k <= 30; ++k) {
      const double r = std::ldexp(1.0, k);
      const double off = std::abs(correlation(r) - 0.5);
      if (off < best) {
        best = off;
        at = r;
      }
    }
    if (at == 0) return std::nullopt;
    return at;
  }
};

// The argument in [low, high] at which a decreasing function takes a value.
double solve_decreasing(const std::function<double(double)>& f, double value, double low, double high) {
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (f(middle) > value ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

struct Family {
  std::function<std::optional<Parameters>(const Probe&)> fit;
  std::function<double(const Parameters&, VectorView, VectorView)> value;  // without the factor
  std::function<std::string(const Parameters&)> text;
  Inputs inputs = Inputs::reals;
};

// A family with one length scale: ell = `scale`(correlation at r) * r.
Family radial(const std::function<double(double)>& ell_over_r,
              const std::function<double(double, VectorView, VectorView)>& value, const std::string& head) {
  return {[ell_over_r](const Probe& k) -> std::optional<Parameters> {
            const auto r = k.half_way();
            if (!r) return std::nullopt;
            return Parameters{k.variance(), ell_over_r(k.correlation(*r)) * *r};
          },
          [value](const Parameters& p, VectorView x, VectorView y) { return value(p[1], x, y); },
          [head](const Parameters& p) { return fmt::format("{}ell={})", head, number(p[1])); }};
}

Family matern_family(double nu) {
  const double root = std::sqrt(2 * nu);
  return radial(
      [=](double rho) { return root / solve_decreasing([=](double s) { return matern(nu, s); }, rho, 0, 50); },
      [=](double ell, VectorView x, VectorView y) { return matern(nu, root * distance(x, y) / ell); },
      fmt::format("matern(nu={}, ", nu));
}

// (x.y + c)^degree: its root is linear in x.y, so two values fix it.
Family polynomial(int degree) {
  return {[=](const Probe& k) -> std::optional<Parameters> {
            const double at_0 = std::pow(k(0, 0), 1.0 / degree), at_1 = std::pow(k(1, 1), 1.0 / degree);
            const double slope = at_1 - at_0;
            return Parameters{std::pow(slope, degree), at_0 / slope};
          },
          [=](const Parameters& p, VectorView x, VectorView y) { return std::pow(dot(x, y) + p[1], degree); },
          [=](const Parameters& p) {
            if (degree == 1 && p[1] == 0) return std::string("linear()");
            return fmt::format("poly(degree={}, c={})", degree, number(p[1]));
          }};
}

std::optional<Parameters> fit_rational(const Probe& k) {
  const auto r = k.half_way();
  if (!r) return std::nullopt;
  // With u = r^2/(2 alpha ell^2), log k(2r)/log k(r) = log(1+4u)/log(1+u) falls from 4 to 1 as u grows.
  const double one = -std::log(k.correlation(*r)), two = -std::log(k.correlation(2 * *r));
  const double log_u = solve_decreasing([](double t) { return std::log1p(4 * std::exp(t)) / std::log1p(std::exp(t)); },
                                        two / one, -30, 100);
  const double u = std::exp(log_u), alpha = one / std::log1p(u);
  return Parameters{k.variance(), alpha, *r / std::sqrt(2 * alpha * u)};
}

std::optional<Parameters> fit_periodic(const Probe& k) {
  // g(d) = 2 sin^2(t)/ell^2 with t = pi d/period, so g(2d)/g(d) = 4 cos^2 t. Starting small keeps t below pi/2.
  for (int j = -20; j <= 20; ++j) {
    const double d = std::ldexp(1.0, j);
    const double one = -std::log(k.correlation(d)), two = -std::log(k.correlation(2 * d));
    if (!(one > 1e-6)) continue;
    const double t = std::acos(0.5 * std::sqrt(two / one));
    if (!(t >= 0.15)) continue;
    return Parameters{k.variance(), std::numbers::pi * d / t, std::sqrt(2 / one) * std::sin(t)};
  }
  return std::nullopt;
}

std::string with_factor(double factor, const std::string& kernel) {
  return factor == 1 ? kernel : number(factor) + "*" + kernel;
}

// In the order in which a formula that equals several is named.
std::vector<Family> families() {
  const auto only_factor_at_1 = [](const Probe& k) -> std::optional<Parameters> { return Parameters{k(1, 1)}; };
  const auto fixed = [](const char* text) { return [text](const Parameters&) { return std::string(text); }; };
  std::vector<Family> all;
  for (int degree = 1; degree <= 8; ++degree) all.push_back(polynomial(degree));
  all.push_back({[](const Probe& k) -> std::optional<Parameters> {
                   return Parameters{k.variance(), std::log(k(1, 1) / k.variance())};
                 },
                 [](const Parameters& p, VectorView x, VectorView y) { return std::exp(p[1] * dot(x, y)); },
                 [](const Parameters& p) { return "exp(" + with_factor(p[1], "linear()") + ")"; }});
  all.push_back({only_factor_at_1,
                 [](const Parameters&, VectorView x, VectorView y) {
                   return dot(x, y) / std::sqrt(dot(x, x)) / std::sqrt(dot(y, y));
                 },
                 fixed("cosine()")});
  all.push_back({[](const Probe& k) -> std::optional<Parameters> { return Parameters{k.variance()}; },
                 [](const Parameters&, VectorView x, VectorView y) {
                   double product = 1;
                   for (std::size_t i = 0; i < x.size(); ++i) product *= 1 + x[i] * y[i];
                   return product;
                 },
                 fixed("multilinear()")});
  all.push_back(radial([](double rho) { return 1 / std::sqrt(-2 * std::log(rho)); },
                       [](double ell, VectorView x, VectorView y) {
                         const double r = distance(x, y) / ell;
                         return std::exp(-0.5 * r * r);
                       },
                       "rbf("));
  all.push_back(radial([](double rho) { return -1 / std::log(rho); },
                       [](double ell, VectorView x, VectorView y) { return std::exp(-distance1(x, y) / ell); },
                       "laplace("));
  all.push_back(radial([](double rho) { return -1 / std::log(rho); },
                       [](double ell, VectorView x, VectorView y) { return std::exp(-distance(x, y) / ell); },
                       "exponential("));
  all.push_back(matern_family(1.5));
  all.push_back(matern_family(2.5));
  all.push_back({fit_rational,
                 [](const Parameters& p, VectorView x, VectorView y) {
                   const double r = distance(x, y) / p[2];
                   return std::pow(1 + r * r / (2 * p[1]), -p[1]);
                 },
                 [](const Parameters& p) { return fmt::format("rq(ell={}, alpha={})", number(p[2]), number(p[1])); }});
  all.push_back(
      {fit_periodic,
       [](const Parameters& p, VectorView x, VectorView y) {
         double sum = 0;
         for (std::size_t i = 0; i < x.size(); ++i) {
           const double s = std::sin(std::numbers::pi * (x[i] - y[i]) / p[1]);
           sum += s * s;
         }
         return std::exp(-2 * sum / (p[2] * p[2]));
       },
       [](const Parameters& p) { return fmt::format("periodic(period={}, ell={})", number(p[1]), number(p[2])); }});
  all.push_back({[](const Probe& k) -> std::optional<Parameters> {
                   const Vector ones(static_cast<std::size_t>(k.dimension), 1.0);
                   return Parameters{k.formula(ones, ones)};
                 },
                 [](const Parameters&, VectorView x, VectorView y) {
                   double product = 1;
                   for (std::size_t i = 0; i < x.size(); ++i) product *= std::min(x[i], y[i]);
                   return product;
                 },
                 fixed("min()"), Inputs::nonnegative});
  return all;
}

// ---- comparing ----

// Pairs of points near and far, with the values of the formula.
class Sample {
 public:
  Sample(const Formula& formula, std::span<const Index> dimensions, Inputs inputs) {
    Random random(20260101);
    for (const Index d : dimensions) {
      for (int i = 0; i < 240; ++i) {
        Pair pair{Vector(static_cast<std::size_t>(d)), Vector(static_cast<std::size_t>(d)), 0, 0};
        const double scale = random.log_uniform(0.1, 20);
        const double apart = random.log_uniform(1e-4, 10);
        for (std::size_t j = 0; j < pair.x.size(); ++j) {
          pair.x[j] = scale * random.normal();
          pair.y[j] = i % 2 == 0 ? scale * random.normal() : pair.x[j] + apart * random.normal();
          if (inputs != Inputs::nonnegative) continue;
          pair.x[j] = std::abs(pair.x[j]);
          pair.y[j] = std::abs(pair.y[j]);
        }
        pair.value = formula(pair.x, pair.y);
        pair.size = std::sqrt(std::abs(formula(pair.x, pair.x))) * std::sqrt(std::abs(formula(pair.y, pair.y)));
        if (!std::isfinite(pair.value) || !std::isfinite(pair.size)) continue;
        pairs_.push_back(std::move(pair));
      }
    }
    // A formula that is mostly undefined equals nothing.
    if (std::ssize(pairs_) < 120 * std::ssize(dimensions)) pairs_.clear();
  }

  bool agrees(const Family& family, const Parameters& p) const {
    if (!std::all_of(p.begin(), p.end(), [](double v) { return std::isfinite(v) && v >= 0; }) || p[0] <= 0)
      return false;
    return !pairs_.empty() && std::all_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
      const double model = p[0] * family.value(p, pair.x, pair.y);
      // The second term is for values that cancel to nearly nothing, such as a product of orthogonal points.
      return std::abs(model - pair.value) <= 1e-10 * std::abs(pair.value) + 1e-13 * pair.size;
    });
  }

  // The value of a constant.
  std::optional<double> constant() const {
    if (pairs_.empty()) return std::nullopt;
    const double first = pairs_.front().value;
    for (const Pair& pair : pairs_) {
      if (std::abs(pair.value - first) > 1e-12 * std::abs(first)) return std::nullopt;
    }
    return first;
  }

 private:
  struct Pair {
    Vector x, y;
    double value, size;
  };
  std::vector<Pair> pairs_;
};

// Each parameter to the fewest digits with which the values still agree.
Parameters shortened(const Family& family, const Sample& sample, Parameters p) {
  for (double& parameter : p) {
    const double exact = parameter;
    for (int digits = 1; digits < 17; ++digits) {
      parameter = *parse_number(fmt::format("{:.{}g}", exact, digits));
      // A tiny c is a zero blurred by rounding.
      if (digits == 1 && std::abs(exact) < 1e-9) parameter = 0;
      if (sample.agrees(family, p)) break;
      parameter = exact;
    }
  }
  return p;
}

// What is short of zero by rounding only is zero.
Parameters clamped(Parameters p) {
  for (double& v : p) {
    if (v < 0 && v > -1e-12) v = 0;
  }
  return p;
}

}  // namespace

std::optional<CatalogMatch> recognise(const Formula& formula, Index dimension) {
  const Index least = std::max<Index>(formula.min_dimension(), dimension);
  if (dimension != 0 && dimension < formula.min_dimension()) return std::nullopt;
  if (formula.one_dimensional() && least > 1) return std::nullopt;
  std::vector<Index> dimensions{least};
  if (dimension == 0 && formula.has_reductions() && !formula.one_dimensional()) {
    dimensions.insert(dimensions.end(), {least + 1, least + 2});
  }
  const Sample reals(formula, dimensions, Inputs::reals), nonnegative(formula, dimensions, Inputs::nonnegative);
  if (const auto c = reals.constant(); c && *c >= 0) {
    return CatalogMatch{fmt::format("const(c={})", number(*c)), Inputs::reals};
  }
  const Probe probe{formula, least};
  for (const Family& family : families()) {
    const auto fitted = family.fit(probe);
    if (!fitted) continue;
    const Parameters p = clamped(*fitted);
    const Sample& sample = family.inputs == Inputs::nonnegative ? nonnegative : reals;
    if (!sample.agrees(family, p)) continue;
    const Parameters round = shortened(family, sample, p);
    return CatalogMatch{with_factor(round[0], family.text(round)), family.inputs};
  }
  return std::nullopt;
}

}  // namespace mercer
