// Why the minimiser and the reduction to a band are our own: each beside the library routine that could take its place.
// CPU time on one thread, which a busy machine blurs least.
#include <fmt/format.h>
#include <nlopt.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/at.hpp"
#include "base/random.hpp"
#include "bench.hpp"
#include "linalg/lapack.hpp"
#include "linalg/lbfgs.hpp"
#include "linalg/shifted.hpp"
#include "mercer/error.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

// z and the diagonal of the inverse at every shift, from eigenvalues and eigenvectors.
void path_by_eigenvectors(const Matrix& K, MatrixView y, const Vector& shifts) {
  const linalg::Eigen e = linalg::eigen(K);
  const Index n = K.rows(), count = static_cast<Index>(shifts.size());
  Matrix inverse(n, count), squares(n, n), projected(n, 1), scaled(n, count), z(n, count), diagonals(n, count);
  linalg::multiply(1, e.vectors, y, 0, projected);
  for (Index i = 0; i < n; ++i) {
    for (Index s = 0; s < count; ++s) {
      inverse(i, s) = 1 / (e.values[at(i)] + shifts[at(s)]);
      scaled(i, s) = projected(i, 0) * inverse(i, s);
    }
    for (Index j = 0; j < n; ++j) squares(i, j) = e.vectors(i, j) * e.vectors(i, j);
  }
  linalg::multiply_left_transposed(1, e.vectors, scaled, 0, z);
  linalg::multiply_left_transposed(1, squares, inverse, 0, diagonals);
}

Json band_case(const Words& words) {
  const Index n = std::stol(words.at(0));
  const Matrix K = gram(rbf(2), rows(random_matrix(n, 6)), {.threads = 1}), y = random_matrix(n, 1);
  Vector shifts;
  for (int s = 0; s < 50; ++s) shifts.push_back(std::pow(10.0, -8 + 0.2 * s) * static_cast<double>(n));
  const double ours = cpu_seconds([&] { linalg::shifted_solves(K, y, shifts, 1); });
  const double peer = cpu_seconds([&] { path_by_eigenvectors(K, y, shifts); });
  return {{"points", n}, {"band", ours}, {"dsyevd", peer}, {"ratio", peer / ours}};
}

// ---- minimisers ----

// sum_i -log(1 - x_i) - 100 x_i: beyond 1 there is nothing, as where a matrix is not positive definite.
struct Wall {
  Index evaluations = 0;

  std::size_t size() const { return 3; }
  double operator()(VectorView x, VectorRef gradient) {
    ++evaluations;
    double out = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] >= 1) {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        return std::numeric_limits<double>::infinity();
      }
      out += -std::log(1 - x[i]) - 100 * x[i];
      gradient[i] = 1 / (1 - x[i]) - 100;
    }
    return out;
  }
};

// Minus the log marginal likelihood as a function of the logarithms of the parameters and of the noise.
struct Evidences {
  Kernel k;
  Points x;
  Vector y;
  Index evaluations = 0;

  std::size_t size() const { return at(k.params().size()) + 1; }
  double operator()(VectorView theta, VectorRef gradient) {
    ++evaluations;
    std::vector<Parameter> parameters;
    const Params before = k.params();
    for (Index p = 0; p < before.size(); ++p) {
      parameters.push_back(before[p]);
      parameters.back().value = std::exp(theta[at(p)]);
    }
    const double noise = std::exp(theta.back());
    try {
      const Evidence e = log_marginal_likelihood(k.with(Params(parameters)), x, y, noise, true, {.threads = 1});
      for (std::size_t p = 0; p < parameters.size(); ++p) gradient[p] = -e.by_kernel[p] * parameters[p].value;
      gradient.back() = -e.by_noise * noise;
      return -e.value;
    } catch (const Error&) {
      std::fill(gradient.begin(), gradient.end(), 0.0);
      return std::numeric_limits<double>::infinity();
    }
  }
};

constexpr double kLower = -14, kUpper = 14;

struct Ending {
  double value = std::numeric_limits<double>::infinity();
  Index evaluations = 0;
};

template <class F>
Ending by_ours(F f, const Vector& start) {
  const Vector lower(start.size(), kLower), upper(start.size(), kUpper);
  const linalg::Minimum m =
      linalg::minimise([&](VectorView x, VectorRef g) { return f(x, g); }, start, lower, upper, {});
  return {m.value, f.evaluations};
}

template <class F>
Ending by_nlopt(F f, Vector x) {
  nlopt_opt search = nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(x.size()));
  nlopt_set_lower_bounds1(search, kLower);
  nlopt_set_upper_bounds1(search, kUpper);
  nlopt_set_ftol_rel(search, 1e-7);
  nlopt_set_maxeval(search, 2000);
  const auto objective = [](unsigned n, const double* theta, double* gradient, void* data) {
    Vector unused(n);
    return (*static_cast<F*>(data))(VectorView(theta, n), gradient ? VectorRef(gradient, n) : VectorRef(unused));
  };
  nlopt_set_min_objective(search, objective, &f);
  Ending out;
  nlopt_optimize(search, x.data(), &out.value);
  nlopt_destroy(search);
  out.evaluations = f.evaluations;
  return out;
}

template <class F>
Json race(const std::string& name, const F& f) {
  constexpr int kStarts = 20;
  Random random(3);
  std::vector<Ending> ours, peer;
  double best = std::numeric_limits<double>::infinity();
  for (int s = 0; s < kStarts; ++s) {
    Vector start(f.size());
    for (double& v : start) v = random.uniform(-2, 2) - (std::is_same_v<F, Wall> ? 2 : 0);
    ours.push_back(by_ours(f, start));
    peer.push_back(by_nlopt(f, start));
    best = std::min({best, ours.back().value, peer.back().value});
  }
  const auto told = [&](const std::vector<Ending>& endings) -> Json {
    Index evaluations = 0;
    int reached = 0;
    for (const Ending& e : endings) {
      evaluations += e.evaluations;
      if (e.value <= best + 1e-3) ++reached;
    }
    return {{"evaluations", static_cast<double>(evaluations) / kStarts}, {"best_reached", reached}};
  };
  return {{"of", name}, {"starts", kStarts}, {"ours", told(ours)}, {"NLopt", told(peer)}};
}

Json evidence_race(const char* text, Index n, Index d, double noise) {
  Random random(3);
  Matrix x(n, d);
  Vector y;
  for (Index i = 0; i < n; ++i) {
    double value = noise * random.normal();
    for (Index c = 0; c < d; ++c) {
      x(i, c) = random.uniform(-3, 3);
      value += std::sin(static_cast<double>(c + 1) * x(i, c)) / static_cast<double>(c + 1);
    }
    y.push_back(value);
  }
  const Points points = rows(x);
  return race(fmt::format("{}, n = {}", text, n), Evidences{parse(text).resolve(points), points, y});
}

Json minimise_case(const Words&) {
  Json races = {race("a wall", Wall{}), evidence_race("1*rbf(ell=1)", 60, 1, 0.1),
                evidence_race("1*rbf(ell=1)", 60, 1, 1e-3), evidence_race("1*rbf(ell=[1, 1, 1, 1])", 120, 4, 0.1),
                evidence_race("1*rbf(ell=1) + 1*periodic(period=2, ell=1)*rbf(ell=3) + 1*linear()", 80, 1, 0.1)};
  return {{"races", races}};
}

}  // namespace

Bench solvers_bench() {
  return {"solvers",
          "solvers of our own, beside the library routines that could take their place",
          {{"band", "N", "the path of 50 ridges at N points: by the band form, and by LAPACK's dsyevd", band_case},
           {"minimise", "", "evaluations until a log marginal likelihood is at its maximum: ours, and NLopt's L-BFGS",
            minimise_case}}};
}

}  // namespace mercer::bench
