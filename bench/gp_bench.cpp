// Gaussian process regression: bench/gp.py brings the data and runs the peers.
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "bench.hpp"
#include "linalg/cholesky.hpp"
#include "mercer/io.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/metrics.hpp"
#include "points/rep.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

struct Problem {
  Points x;
  Vector y;
  Kernel k;
  explicit Problem(const Words& words)
      : x(rows(numbers(words.at(0)))), y(column(words.at(1))), k(parse(words.at(2)).resolve(x)) {}
};

// By the logarithm of each number, as optimisers see them; the noise is the last.
Vector log_gradient(const Evidence& e, const Kernel& k, double noise) {
  Vector out;
  const Params params = k.params();
  for (Index i = 0; i < params.size(); ++i) out.push_back(params[i].value * e.by_kernel[at(i)]);
  out.push_back(noise * e.by_noise);
  return out;
}

double bare_inverse(const Problem& p, double noise, int rounds) {
  Matrix K = gram(p.k, p.x);
  for (Index i = 0; i < K.rows(); ++i) K(i, i) += noise;
  double out = 1e300;
  for (int r = 0; r < rounds; ++r) {
    Matrix a = K;
    out = std::min(out, seconds([&] {
                     if (linalg::cholesky(a) != 0) throw std::runtime_error("the matrix is not positive definite");
                     linalg::inverse(a);
                   }));
  }
  return out;
}

Json evidence_case(const Words& words) {
  const Problem p(words);
  const double noise = std::stod(words.at(3));
  const int rounds = std::stoi(words.at(4));
  Evidence e;
  double time = 1e300;
  for (int r = 0; r < rounds; ++r) {
    time = std::min(time, seconds([&] { e = log_marginal_likelihood(p.k, p.x, p.y, noise); }));
  }
  return {{"ours", time},
          {"bare", bare_inverse(p, noise, rounds)},
          {"value", e.value},
          {"gradient", log_gradient(e, p.k, noise)}};
}

Json evidence_memory_case(const Words& words) {
  const Problem p(words);
  log_marginal_likelihood(p.k, p.x, p.y, std::stod(words.at(3)));
  return {{"megabytes", peak_megabytes()}};
}

// Processor seconds: of the value, and with all derivatives.
Json line_case(const Words& words) {
  const Problem p(words);
  const double noise = std::stod(words.at(3));
  double value = 1e300, both = 1e300;
  Evidence e;
  for (int r = 0; r < std::stoi(words.at(4)); ++r) {
    value = std::min(value, cpu_seconds([&] { e = log_marginal_likelihood(p.k, p.x, p.y, noise, false); }));
    both = std::min(both, cpu_seconds([&] { (void)log_marginal_likelihood(p.k, p.x, p.y, noise); }));
  }
  return {{"value_seconds", value}, {"both_seconds", both}, {"value", e.value}, {"megabytes", peak_megabytes()}};
}

// By neighbours, which are searched each time: processor seconds of log p(y) with all derivatives.
Json nearest_case(const Words& words) {
  const Problem p(words);
  const GaussianProcess gp{.noise = Learnable::fixed_at(std::stod(words.at(3))),
                           .signal = Learnable::fixed_at(1),
                           .nearest = std::stol(words.at(4))};
  const Training training{.K = lazy(p.k, p.x), .y = Matrix(MatrixView(p.y.data(), p.x.size(), 1))};
  Evidence e;
  const double processor = cpu_seconds([&] { e = log_marginal_likelihood(gp, training); });
  return {{"both_seconds", processor}, {"value", e.value}, {"megabytes", peak_megabytes()}};
}

// With inducing points, which are chosen each time.
Json inducing_case(const Words& words) {
  const Problem p(words);
  const GaussianProcess gp{.noise = Learnable::fixed_at(std::stod(words.at(3))),
                           .signal = Learnable::fixed_at(1),
                           .inducing = std::stol(words.at(4))};
  const Training training{.K = lazy(p.k, p.x), .y = Matrix(MatrixView(p.y.data(), p.x.size(), 1))};
  double time = 1e300, processor = 1e300;
  for (int r = 0; r < std::stoi(words.at(5)); ++r) {
    processor = std::min(processor, cpu_seconds([&] {
                           time = std::min(time, seconds([&] { (void)log_marginal_likelihood(gp, training); }));
                         }));
  }
  return {{"ours", time}, {"processor", processor}, {"megabytes", peak_megabytes()}};
}

Json values_of(const Kernel& k) {
  Json out;
  for (const Parameter& parameter : k.params()) out[parameter.path] = parameter.value;
  return out;
}

Json fit_case(const Words& words) {
  const Problem p(words);
  const GaussianProcess gp{.noise = Learnable::parse("noise", words.at(3)),
                           .signal = Learnable::fixed_at(1),
                           .mean = Trend::none,
                           .starts = 1,
                           .max_iterations = std::stol(words.at(4)),
                           .tolerance = 2.2e-9};  // that of SciPy's L-BFGS-B, which the peer uses
  std::optional<Model> m;
  double time = 1e300;
  for (int r = 0; r < std::stoi(words.at(5)); ++r) {
    time = std::min(time, seconds([&] { m = gp.fit(lazy(p.k, p.x), p.y); }));
  }
  const Report& report = m->report();
  Json parameters = values_of(*m->expansion().parts().kernel);
  parameters["noise"] = m->posterior().noise[0];
  return {{"ours", time},
          {"lml", *report.figure("log_marginal_likelihood")},
          {"start", values_of(p.k)},
          {"parameters", parameters},
          {"iterations", report.iterations},
          {"evaluations", report.figure("evaluations").value_or(0)},
          {"stopped", report.stopped}};
}

Json predict_case(const Words& words) {
  const Problem p(words);
  const Points fresh = rows(numbers(words.at(4)));
  const GaussianProcess gp{.noise = Learnable::fixed_at(std::stod(words.at(3))),
                           .signal = Learnable::fixed_at(1),
                           .mean = Trend::none,
                           .objective = GaussianProcess::Objective::none};
  const Model m = gp.fit(lazy(p.k, p.x), p.y);
  Matrix mean, variance;
  double alone = 1e300, both = 1e300;
  for (int r = 0; r < 5; ++r) {
    alone = std::min(alone, seconds([&] { mean = m.scores(fresh); }));
    both = std::min(both, seconds([&] {
                      mean = m.scores(fresh);
                      variance = m.variances(fresh);
                    }));
  }
  Matrix out(mean.rows(), 2);
  for (Index i = 0; i < out.rows(); ++i) {
    out(i, 0) = mean(i, 0);
    out(i, 1) = variance(i, 0);
  }
  write_npy(words.at(5), out);
  return {{"mean", alone}, {"both", both}};
}

// One split: what is reached on the rows that the mask marks.
Json split(const Matrix& x, const Vector& y, const Matrix& mask, Index s, const Kernel& k) {
  std::vector<Index> train, test;
  for (Index i = 0; i < x.rows(); ++i) (mask(i, s) != 0 ? test : train).push_back(i);
  const Points all = rows(x.view());
  const Scaling scaling = Scaling::of(Scaling::Kind::standard, all.select(train));
  Vector known, truth;
  for (const Index i : train) known.push_back(y[at(i)]);
  for (const Index i : test) truth.push_back(y[at(i)]);
  std::optional<Model> m;
  const double time = seconds([&] { m = GaussianProcess{}.fit(lazy(k, scaling.apply(all.select(train))), known); });
  const Points fresh = scaling.apply(all.select(test));
  const Vector mean = m->predict(fresh);
  const Matrix variance = m->variances(fresh);
  double density = 0, inside = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double v = variance(static_cast<Index>(i), 0) + m->posterior().noise[0], error = truth[i] - mean[i];
    density += 0.5 * (std::log(2 * std::numbers::pi * v) + error * error / v);
    inside += std::abs(error) <= 1.959964 * std::sqrt(v) ? 1 : 0;
  }
  const auto count = static_cast<double>(truth.size());
  return {{"rmse", rmse(truth, mean)},
          {"nlpd", density / count},
          {"coverage", inside / count},
          {"seconds", time},
          {"lml", *m->report().figure("log_marginal_likelihood")},
          {"stopped", m->report().stopped}};
}

Json splits_case(const Words& words) {
  const Matrix x = numbers(words.at(0)), mask = numbers(words.at(2));
  const Vector y = column(words.at(1));
  const Kernel k = parse(words.at(3));
  Json out = Json::array();
  for (Index s = 0; s < mask.cols(); ++s) out.push_back(split(x, y, mask, s, k));
  return {{"splits", out}};
}

}  // namespace

Bench gp_bench() {
  return {"gp",
          "Gaussian process regression",
          {{"evidence", "X.npy y.npy KERNEL NOISE ROUNDS",
            "log p(y) with all derivatives; factor and inverse of K alone", evidence_case},
           {"evidence_memory", "X.npy y.npy KERNEL NOISE", "the most memory of the same", evidence_memory_case},
           {"nearest", "X.npy y.npy KERNEL NOISE K", "log p(y) by K neighbours with all derivatives, processor seconds",
            nearest_case},
           {"line", "X.npy y.npy KERNEL NOISE ROUNDS",
            "log p(y) along a line, alone and with all derivatives, processor seconds", line_case},
           {"inducing", "X.npy y.npy KERNEL NOISE M ROUNDS",
            "a bound of log p(y) by M inducing points with all derivatives, and the most memory", inducing_case},
           {"fit", "X.npy y.npy KERNEL NOISE ITERATIONS ROUNDS", "learning from the values given, mean zero", fit_case},
           {"predict", "X.npy y.npy KERNEL NOISE new.npy out.npy", "the mean; mean and variance, kept in out.npy",
            predict_case},
           {"splits", "X.npy y.npy mask.npy KERNEL", "default settings, each split of the mask", splits_case}}};
}

}  // namespace mercer::bench
