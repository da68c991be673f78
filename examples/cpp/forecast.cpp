// forecast SINC.csv: a Gaussian process learns its hyper-parameters and says how sure it is.
#include <cmath>
#include <cstdio>
#include <mercer/mercer.hpp>

int main(int argc, char** argv) try {
  using namespace mercer;
  if (argc != 2) return std::fprintf(stderr, "usage: forecast sinc.csv\n"), 2;

  const Dataset sinc = read_data(argv[1], {.target = "y"});
  // The monitor draws a bar, and by returning false would end the fit with what it has.
  const Monitor bar([](const Progress& p) {
    std::fprintf(stderr, "\r%-20.*s %3.0f %%", static_cast<int>(p.stage.size()), p.stage.data(), 100 * p.fraction);
    return true;
  });
  Matrix y(sinc.points.size(), 1);
  for (Index i = 0; i < y.rows(); ++i) y(i, 0) = sinc.target_numbers[static_cast<std::size_t>(i)];
  const Model gp = GaussianProcess{}.fit(
      {.K = lazy(parse("rbf(ell=auto)").resolve(sinc.points), sinc.points), .y = y, .how = {.monitor = bar}});
  std::fprintf(stderr, "\n");
  std::printf("learnt %s, noise %.4f\n", gp.expansion().parts().kernel->str().c_str(), gp.posterior().noise[0]);

  const Points ahead = rows(Matrix{{0.5}, {3.0}, {12.0}});
  const Matrix mean = gp.scores(ahead), variance = gp.variances(ahead);
  for (Index i = 0; i < mean.rows(); ++i) std::printf("%7.3f +- %.3f\n", mean(i, 0), 2 * std::sqrt(variance(i, 0)));

  // One more observation, without learning again: O(n^2).
  const Model wiser = condition(gp, rows(Matrix{{12.0}}), Matrix{{-0.04}});
  std::printf("after one look at 12: +- %.3f\n", 2 * std::sqrt(wiser.variances(ahead)(2, 0)));
  return 0;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "forecast: %s\n", error.what());
  return 1;
}
