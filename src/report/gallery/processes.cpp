// Gaussian processes: functions drawn before data and after, and what one target says of another.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/machines/gp.hpp"
#include "report/gallery/sections.hpp"

namespace mercer::report::gallery {

namespace {

Vector line_of(const Matrix& m, Index j) {
  Vector out;
  for (Index i = 0; i < m.rows(); ++i) out.push_back(m(i, j));
  return out;
}

Json prior_panel(const std::string& title, const std::string& note, const std::string& kernel, VectorView at,
                 std::uint64_t seed, const Json& axis) {
  const Matrix draws = sample_prior(parse(kernel), line(at), {.draws = 5, .seed = seed});
  Json one = curve(at, axis);
  for (Index j = 0; j < draws.cols(); ++j)
    add_line(one, fmt::format("draw {}", j + 1), line_of(draws, j), {{"group", j}});
  return {{"title", title}, {"note", note}, {"curve", one}};
}

Json band(VectorView mean, VectorView variance, double deviations, double level) {
  Vector low, high;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double half = deviations * std::sqrt(std::max(variance[i], 0.0));
    low.push_back(mean[i] - half);
    high.push_back(mean[i] + half);
  }
  return {{"level", level}, {"of", "f"}, {"low", numbers(low)}, {"high", numbers(high)}};
}

}  // namespace

Json priors() {
  const Vector wide = grid(-10, 10, 241), unit = grid(-1, 1, 241);
  Json widths = Json::array(), thetas = Json::array();
  for (const double sigma : {0.5, 2.0, 10.0}) {
    widths.push_back(prior_panel(fmt::format("sigma = {}", sigma), "", fmt::format("rbf(ell={})", sigma), wide, 3,
                                 {{"label", "f(x)"}, {"domain", {-3.2, 3.2}}}));
  }
  struct Theta {
    double bell, width, constant, slope;
    const char* note;
  };
  for (const Theta& t : {Theta{1, 4, 0, 0, "a bell of width 1/2"}, Theta{9, 4, 0, 0, "three times as high"},
                         Theta{1, 64, 0, 0, "four times as fast"}, Theta{1, 0.25, 0, 0, "four times as slow"},
                         Theta{1, 4, 10, 0, "anywhere up or down"}, Theta{1, 4, 0, 5, "with any slope"}}) {
    std::string kernel = fmt::format("{}*rbf(ell={})", t.bell, 1 / std::sqrt(t.width));
    if (t.constant > 0) kernel += fmt::format(" + {}", t.constant);
    if (t.slope > 0) kernel += fmt::format(" + {}*linear()", t.slope);
    thetas.push_back(prior_panel(fmt::format("({}, {}, {}, {})", t.bell, t.width, t.constant, t.slope), t.note, kernel,
                                 unit, 11, {{"label", "f(x)"}}));
  }
  return section(
      "priors", "A kernel is also a belief about functions",
      {"Let f(x) be a normal number at every x, with covariance k(x, y) between any two. Functions drawn so show what "
       "the "
       "kernel believes before any data: how fast f changes, how far it goes."},
      {{"prior_widths",
        "curves",
        "Draws for sigma = 0.5, 2, 10",
        "exp(-|x - y|^2 / (2 sigma^2)): points nearer than sigma have nearly the same value, so a larger sigma gives "
        "slower functions.",
        {{"panels", widths}, {"sharedY", true}, {"columns", 3}}},
       {"prior_thetas",
        "curves",
        "Draws for six choices of (theta0, theta1, theta2, theta3)",
        "k(x, y) = theta0 exp(-theta1 |x - y|^2 / 2) + theta2 + theta3 x y: height, speed, a constant and a slope, "
        "each "
        "with its own number. The six choices are those of Bishop, Pattern Recognition and Machine Learning (2006), "
        "section 6.4.2.",
        {{"panels", thetas}, {"columns", 3}}}});
}

Json posteriors() {
  const Vector at = grid(-0.1, 1.1, 241);
  const Noisy all = noisy_sine(40, 5);
  Json panels = Json::array();
  for (const std::size_t n : {10, 20, 40}) {
    const Vector x(all.x.begin(), all.x.begin() + static_cast<Index>(n)),
        y(all.y.begin(), all.y.begin() + static_cast<Index>(n));
    const Model model =
        GaussianProcess{.noise = Learnable::fixed_at(0.04), .objective = GaussianProcess::Objective::none}.fit(
            lazy(parse("rbf(ell=0.2)"), line(x)), y);
    const Vector mean = line_of(model.scores(line(at)), 0), variance = line_of(model.variances(line(at)), 0);
    Json one = curve(at, {{"label", "y"}, {"domain", {-2.4, 2.4}}});
    one["bands"] = {band(mean, variance, 1.959964, 0.95), band(mean, variance, 0.6744898, 0.5)};
    add_line(one, "mean", mean);
    Vector truth;
    for (const double place : at) truth.push_back(std::sin(2 * std::numbers::pi * place));
    add_line(one, "sin(2 pi x)", truth, {{"dash", true}});
    add_points(one, x, y);
    panels.push_back({{"title", fmt::format("{} points", n)}, {"curve", one}});
  }
  return section(
      "posteriors", "What data leave of a belief",
      {"The same process, rbf(ell=0.2) with noise of variance 0.04, given 10, 20 and 40 points. The bands hold f "
       "with probability 50 and 95 %."},
      {{"posteriors",
        "curves",
        "10, 20, 40 points",
        "Where there are points, the band closes; away from them it goes back to what was believed before.",
        {{"panels", panels}, {"sharedY", true}, {"columns", 3}}}});
}

Json two_targets() {
  const double apart = 0.5, seen = 1;
  const Matrix k = gram(parse("rbf(ell=1)"), line(Vector{0, apart}));
  const double noise = 0.05, a = k(0, 0) + noise, b = k(0, 1), c = k(1, 1) + noise;
  const double mean = b / a * seen, sd = std::sqrt(c - b * b / a);
  Json ellipses = Json::array();
  // The Cholesky factor of the covariance turns circles into ellipses.
  const double l11 = std::sqrt(a), l21 = b / l11, l22 = std::sqrt(c - l21 * l21);
  for (const double level : {0.5, 0.8, 0.95}) {
    const double radius = std::sqrt(-2 * std::log(1 - level));
    Json across = Json::array(), up = Json::array();
    for (int i = 0; i <= 72; ++i) {
      const double angle = 2 * std::numbers::pi * i / 72, u = radius * std::cos(angle), v = radius * std::sin(angle);
      across.push_back(l11 * u);
      up.push_back(l21 * u + l22 * v);
    }
    ellipses.push_back({{"level", level}, {"x", across}, {"y", up}});
  }
  const Vector at = grid(-3, 3, 121);
  Vector density, prior;
  for (const double t : at) {
    const auto normal = [t](double m, double s) {
      return std::exp(-0.5 * (t - m) * (t - m) / (s * s)) / (s * std::sqrt(2 * std::numbers::pi));
    };
    density.push_back(normal(mean, sd));
    prior.push_back(normal(0, std::sqrt(c)));
  }
  return section(
      "two_targets", "One target says something of another",
      {"Two noisy values of f at x = 0 and x = 0.5 are jointly normal. Once the first is seen, the second is still "
       "normal, "
       "with another mean and less variance: this is all that a Gaussian process does, for more points at once."},
      {{"two_targets",
        "bivariate",
        "t2 given t1 = 1",
        fmt::format("Before, t2 is 0 ± {:.2f}; after t1 = 1 was seen, {:.2f} ± {:.2f}.", std::sqrt(c), mean, sd),
        {{"x", {{"label", "t1 = f(0) + noise"}}},
         {"y", {{"label", "t2 = f(0.5) + noise"}}},
         {"mean", {0, 0}},
         {"covariance", {a, b, c}},
         {"ellipses", ellipses},
         {"given", {{"x", seen}, {"mean", mean}, {"sd", sd}}},
         {"conditional", {{"at", numbers(at)}, {"density", numbers(density)}, {"prior", numbers(prior)}}}}}});
}

}  // namespace mercer::report::gallery
