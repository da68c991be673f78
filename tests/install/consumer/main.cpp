// A program that knows Mercer only as it is installed: a kernel, a machine, a model in a file and back.
#include <cstdio>
#include <mercer/mercer.hpp>

int main() {
  using namespace mercer;
  const Kernel k = parse("2*rbf(ell=0.5) + linear()");
  const Matrix K = gram(k, rows(Matrix{{0.0}, {1.0}}));
  std::printf("%s\nK(0, 0) = %g\n", k.str().c_str(), K(0, 0));
  if (K(0, 0) != 2.0 || k.str() != "2*rbf(ell=0.5) + linear()") return 1;

  const Points x = rows(Matrix{{0.0}, {0.5}, {1.0}, {3.0}, {3.5}, {4.0}});
  const std::vector<std::string> names = {"near", "near", "near", "far", "far", "far"};
  const Model svc = Svc{.C = 10}.fit(lazy(k, x), Labels::from(names));
  if (svc.predict_labels(x) != names) return 2;
  save("consumer.mercer", svc);
  const Model again = load("consumer.mercer");
  if (again.predict_labels(x) != names || again.scores(x) != svc.scores(x)) return 3;

  const Model ridge = fit("ridge", {{"ridge", "0.1"}}, {.K = lazy(k, x), .y = Matrix{{1}, {2}, {3}, {7}, {8}, {9}}});
  std::printf("%s", ridge.report().str().c_str());
  return ridge.report().converged && ridge.rkhs_norm() > 0 ? 0 : 4;
}
