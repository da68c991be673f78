// classify TWO_MOONS.csv: from a table to a model in a file, and from the file to predictions.
#include <cstdio>
#include <mercer/mercer.hpp>

int main(int argc, char** argv) try {
  using namespace mercer;
  if (argc != 2) return std::fprintf(stderr, "usage: classify two_moons.csv\n"), 2;

  const Dataset moons = read_data(argv[1], {.target = "label"});
  const Labels labels = Labels::from(moons.target());

  // C and ell by cross-validation. Every candidate sees the same folds, and one matrix serves all values of C.
  const Tuned best = tune({.machine = "svc",
                           .settings = {{"probability", "true"}},
                           .axes = parse_grid("C=1:100:3, ell=0.2:2:4"),
                           .folds = stratified_folds(labels, 5)},
                          {.K = lazy(rbf(1), moons.points), .labels = labels});
  const Candidate& winner = best.candidates[best.best];
  std::printf("C=%s ell=%s: accuracy %.3f in five folds\n", winner.values[0].c_str(), winner.values[1].c_str(),
              winner.mean);
  std::printf("%s", best.model.report().str().c_str());

  // A model file holds everything that prediction needs, and predicts the same bits.
  save("moons.mercer", best.model);
  const Model model = load("moons.mercer");
  const Points between = rows(Matrix{{0.5, 0.25}, {-1.0, 0.5}});
  const Matrix p = model.probabilities(between);
  for (Index i = 0; i < p.rows(); ++i) {
    std::printf("point %d: class %s, probability of class 1 is %.2f\n", static_cast<int>(i) + 1,
                model.predict_labels(between)[static_cast<std::size_t>(i)].c_str(), p(i, 1));
  }
  return 0;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "classify: %s\n", error.what());
  return 1;
}
