// A second implementation of every kernel: one pair at a time, straight from its formula, in long double.
// Slow and obviously right. A new kernel adds its line here.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernel/catalog.hpp"
#include "kernel/maps.hpp"
#include "kernel/random_features.hpp"

namespace mercer::oracle {

using Real = long double;
using Point = std::vector<Real>;
const Real pi = 3.141592653589793238462643383279502884L;

inline Real dot(const Point& x, const Point& y) {
  Real total = 0;
  for (std::size_t k = 0; k < x.size(); ++k) total += x[k] * y[k];
  return total;
}
inline Real norm(const Point& x) { return std::sqrt(dot(x, x)); }

// sum_k |x_k - y_k|^p / ell_k^p, ell one number or one per column
inline Real distance(const Point& x, const Point& y, const Vector& ell, int p) {
  Real total = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Real scaled = std::abs(x[k] - y[k]) / static_cast<Real>(ell[ell.size() == 1 ? 0 : k]);
    total += p == 2 ? scaled * scaled : scaled;
  }
  return total;
}

inline Real angle(const Point& x, const Point& y) {
  Point a = x, b = y;  // the angle from unit vectors u, v: 2 atan2(|u - v|, |u + v|), exact at both ends
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Real u = x[k] / norm(x), v = y[k] / norm(y);
    a[k] = u - v;
    b[k] = u + v;
  }
  return 2 * std::atan2(norm(a), norm(b));
}
inline Real kappa0(Real t) { return 1 - t / pi; }
inline Real kappa1(Real t) { return (std::sin(t) + (pi - t) * std::cos(t)) / pi; }

inline Real evaluate(const detail::Node& node, const Point& x, const Point& y) {
  const std::string& name = node.entry->name;
  const auto premise = [&](std::size_t c, const Point& a, const Point& b) { return evaluate(*node.children[c], a, b); };
  const auto param = [&](const char* which) { return static_cast<Real>(node.param(which).values.front()); };
  const auto ell = [&] { return node.param("ell").values; };

  if (name == "linear") return dot(x, y);
  if (name == "const") return param("c");
  if (name == "poly") return std::pow(dot(x, y) + param("c"), static_cast<Real>(node.number("degree")));
  if (name == "rbf") return std::exp(-distance(x, y, ell(), 2) / 2);
  if (name == "laplace") return std::exp(-distance(x, y, ell(), 1));
  if (name == "exponential") return std::exp(-std::sqrt(distance(x, y, ell(), 2)));
  if (name == "matern") {
    const auto nu = static_cast<Real>(node.number("nu"));
    const Real s = std::sqrt(2 * nu * distance(x, y, ell(), 2));
    if (s == 0) return 1;
    return s > 11000 ? 0 : std::exp2(1 - nu) / std::tgamma(nu) * std::pow(s, nu) * std::cyl_bessel_k(nu, s);
  }
  if (name == "random_features") {
    const Vector& scales = node.children.front()->param("ell").values;
    const auto W = detail::random_frequencies(node, static_cast<Index>(x.size()));
    Real total = 0;
    for (Index f = 0; f < W->rows(); ++f) {
      Real turn = 0;
      for (std::size_t k = 0; k < x.size(); ++k) {
        turn += static_cast<Real>((*W)(f, static_cast<Index>(k))) * (x[k] - y[k]) /
                static_cast<Real>(scales[scales.size() == 1 ? 0 : k]);
      }
      total += std::cos(turn);
    }
    return total / static_cast<Real>(W->rows());
  }
  if (name == "rq") return std::pow(1 + distance(x, y, ell(), 2) / (2 * param("alpha")), -param("alpha"));
  if (name == "periodic") {
    Real total = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const Real turned = std::remainder(x[k], param("period")) - std::remainder(y[k], param("period"));
      const Real s = std::sin(pi * turned / param("period"));
      total += s * s;
    }
    return std::exp(-2 * total / (param("ell") * param("ell")));
  }
  if (name == "wave") {
    Real total = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const Real turned = std::remainder(x[k], param("period")) - std::remainder(y[k], param("period"));
      total += std::cos(2 * pi * turned / param("period"));
    }
    return total;
  }
  if (name == "wendland") {
    const int smooth = static_cast<int>(node.number("k"));
    const Real r = std::sqrt(distance(x, y, ell(), 2)), j = static_cast<Real>(x.size() / 2) + smooth + 1;
    if (r >= 1) return 0;
    const Real p = smooth == 0   ? 1
                   : smooth == 1 ? (j + 1) * r + 1
                   : smooth == 2 ? ((j * j + 4 * j + 3) * r * r + (3 * j + 6) * r + 3) / 3
                                 : ((j * j * j + 9 * j * j + 23 * j + 15) * r * r * r +
                                    (6 * j * j + 36 * j + 45) * r * r + (15 * j + 45) * r + 15) /
                                       15;
    return std::pow(1 - r, j + smooth) * p;
  }
  if (name == "sho") {
    const Real d = 1 / (2 * param("q")), square = (1 - d) * (1 + d), s = std::sqrt(std::abs(square));
    Real product = 1;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const Real u = param("omega") * std::abs(x[k] - y[k]);
      if (u == 0) continue;
      const Real wave = square > 0 ? std::cos(s * u) : std::cosh(s * u);
      const Real slope = s == 0 ? u : square > 0 ? std::sin(s * u) / s : std::sinh(s * u) / s;
      product *= std::exp(-d * u) * (wave + d * slope);
    }
    return product;
  }
  if (name == "min" || name == "multilinear") {
    Real product = 1;
    for (std::size_t k = 0; k < x.size(); ++k) product *= name == "min" ? std::min(x[k], y[k]) : 1 + x[k] * y[k];
    return product;
  }
  if (name == "quadratic") {
    const auto& a = std::get<Matrix>(node.option("A"));
    Real total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < y.size(); ++j) total += x[i] * a(static_cast<Index>(i), static_cast<Index>(j)) * y[j];
    }
    return total;
  }
  if (name == "equal") return x == y ? 1 : 0;
  if (name == "coregion") {
    const auto task = static_cast<std::size_t>(x[0] - 1), other = static_cast<std::size_t>(y[0] - 1);
    const Vector &a = node.param("a").values, &v = node.param("v").values;
    return static_cast<Real>(a[task]) * a[other] + (task == other ? v[task] : 0);
  }
  if (name == "hamming") {
    Real equal = 0;
    for (std::size_t k = 0; k < x.size(); ++k) equal += x[k] == y[k] ? 1 : 0;
    return equal / static_cast<Real>(x.size());
  }
  if (name == "chi2") {
    Real total = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (x[k] + y[k] > 0) total += (x[k] - y[k]) * (x[k] - y[k]) / (x[k] + y[k]);
    }
    return std::exp(-param("gamma") * total);
  }
  if (name == "tanimoto") {
    const Real rest = dot(x, x) + dot(y, y) - dot(x, y);
    return rest == 0 ? 0 : dot(x, y) / rest;
  }
  const bool zero = norm(x) == 0 || norm(y) == 0;
  if (name == "cosine") return zero ? 0 : dot(x, y) / (norm(x) * norm(y));
  if (name == "arccos" && node.number("order") == 0) return zero ? 0.5L : kappa0(angle(x, y));
  if (name == "arccos") return zero ? 0 : norm(x) * norm(y) * kappa1(angle(x, y));
  if (name == "ntk") {
    if (zero) return 0;
    Real t = angle(x, y), tangent = std::cos(t);
    for (int layer = 0; layer < static_cast<int>(node.number("depth")); ++layer) {
      const Real next = kappa1(t);
      tangent = tangent * kappa0(t) + next;
      t = std::acos(std::min<Real>(1, next));
    }
    return norm(x) * norm(y) * tangent;
  }

  if (name == "sum" || name == "product") {
    Real total = name == "sum" ? 0 : 1;
    for (std::size_t c = 0; c < node.children.size(); ++c) {
      total = name == "sum" ? total + premise(c, x, y) : total * premise(c, x, y);
    }
    return total;
  }
  if (name == "scale") return param("scale") * premise(0, x, y);
  if (name == "power") return std::pow(premise(0, x, y), static_cast<Real>(node.number("degree")));
  if (name == "exp") return std::exp(premise(0, x, y));
  if (name == "polynomial") {
    Real total = 0, power = 1;
    for (const double c : node.param("coefficients").values) {
      total += c * power;
      power *= premise(0, x, y);
    }
    return total;
  }
  if (name == "normalize") {
    const Real self = premise(0, x, x) * premise(0, y, y);
    return self == 0 ? 0 : premise(0, x, y) / std::sqrt(self);
  }
  if (name == "rbf_of") {
    const Real squared = premise(0, x, x) + premise(0, y, y) - 2 * premise(0, x, y);
    return std::exp(-squared / (2 * param("ell") * param("ell")));
  }
  if (name == "scaled") {
    const std::string& f = std::get<detail::NamedWeight>(node.option("f")).name;
    const auto weight = [&](const Point& p) {
      const Vector as_double(p.begin(), p.end());
      const detail::ElementMap* map = detail::find_map(f);
      return static_cast<Real>(map != nullptr ? map->value(as_double[0]) : detail::find_weight(f)->value(as_double));
    };
    return weight(x) * premise(0, x, y) * weight(y);
  }
  if (name == "warp") {
    const detail::ElementMap* map = detail::find_map(std::get<detail::NamedMap>(node.option("phi")).name);
    const auto mapped = [&](const Point& p) {
      Point out;
      for (const Real v : p) out.push_back(map->value(static_cast<double>(v)));
      return out;
    };
    return premise(0, mapped(x), mapped(y));
  }
  if (name == "on") {
    const auto& columns = std::get<Columns>(node.option("columns"));
    const auto chosen = [&](const Point& p) {  // by number only
      Point out;
      for (const Columns::Item& item : columns.items()) {
        for (Index k = std::get<Index>(item.first); k <= std::get<Index>(item.last); ++k) {
          out.push_back(p[static_cast<std::size_t>(k - 1)]);
        }
      }
      return out;
    };
    return premise(0, chosen(x), chosen(y));
  }
  throw std::logic_error("the oracle does not know " + name);
}

}  // namespace mercer::oracle
