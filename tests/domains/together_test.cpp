// Strings, graphs, categories and numbers in one table, under one kernel, with every machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "mercer/graph.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::together_test {
namespace {

const Kernel& mixed() {
  static const Kernel k = parse(
      "on(smiles, normalize(spectrum(k=2))) + 0.1*on(molecule, normalize(wl(h=3)))*on(assay, equal()) + on(dose, "
      "rbf())");
  return k;
}

struct Compounds {
  Points x;
  Vector y;
  std::vector<std::string> labels;
};

// Rings of carbon with some nitrogen, their text, the assay, the dose; what is to be told depends on all four.
Compounds compounds(Index count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::string> smiles, assays;
  std::vector<Graph> molecules;
  Matrix dose(count, 1);
  Compounds out{rows(Matrix(1, 1)), {}, {}};
  for (Index i = 0; i < count; ++i) {
    const Index size = 3 + static_cast<Index>(engine() % 5);
    GraphParts parts{.nodes = size};
    std::string text;
    double nitrogen = 0;
    for (Index a = 0; a < size; ++a) {
      const bool is_nitrogen = engine() % 3 == 0;
      nitrogen += is_nitrogen;
      text += is_nitrogen ? 'N' : 'C';
      parts.node_labels.push_back(is_nitrogen ? "N" : "C");
      if (a > 0) parts.edges.push_back({a - 1, a, 1});
    }
    smiles.push_back(std::move(text));
    molecules.emplace_back(std::move(parts));
    assays.push_back(engine() % 2 == 0 ? "ames" : "herg");
    dose(i, 0) = static_cast<double>(engine() % 100) / 50;
    out.y.push_back(nitrogen / static_cast<double>(size) + (assays.back() == "ames" ? 0.3 : 0) + std::sin(dose(i, 0)));
    out.labels.push_back(out.y.back() > 1.1 ? "active" : "inactive");
  }
  out.x = table({{"smiles", strings(std::move(smiles))},
                 {"molecule", graphs(std::move(molecules))},
                 {"assay", strings(std::move(assays))},
                 {"dose", rows(std::move(dose))}});
  return out;
}

TEST(Together, EveryMachineTakesATableThatMixesDomains) {
  const Compounds train = compounds(40, 1), test = compounds(12, 2);
  for (const Machine& machine : machines()) {
    SCOPED_TRACE(machine.name);
    if (machine.name == "kde") continue;  // a density is one on vectors
    Training training{.K = lazy(mixed(), train.x)};
    const Task task = machine.task_for({});
    if (task->target == Task::Target::classes) {
      training.labels = Labels::from(train.labels);
    } else if (task->target == Task::Target::numbers) {
      training.y = Matrix(MatrixView(train.y.data(), train.x.size(), 1));
    }
    const Model m = fit(machine, {}, training);
    const Matrix scores = m.scores(test.x);
    EXPECT_EQ(scores.rows(), test.x.size());
    std::stringstream file;
    save(file, m);
    EXPECT_EQ(load_bytes(file.str(), "the model").scores(test.x), scores);
  }
}

// The numbers inside string and graph kernels are learnt like any other.
TEST(Together, AProcessLearnsDecayAndLambda) {
  const Compounds train = compounds(40, 3);
  const Kernel k = parse(
      "on(smiles, normalize(subsequence(length=2, decay=0.9))) + "
      "on(molecule, normalize(random_walk(lambda=0.01 in [0.001, 0.1])))*on(dose, rbf(ell=1))");
  const Model m = GaussianProcess{}.fit(lazy(k, train.x), train.y);
  const Kernel learnt = *m.expansion().parts().kernel;
  EXPECT_NE(learnt.params()[learnt.params().find("decay")].value, 0.9);
  EXPECT_NE(learnt.params()[learnt.params().find("lambda")].value, 0.01);
  const double before = log_marginal_likelihood(k, train.x, train.y, 0.01).value;
  EXPECT_GT(*m.report().figure("log_marginal_likelihood"), before);
}

// A string shorter than what is counted has nothing in common with anything: said once, by the fit.
TEST(Together, ObjectsThatAKernelFindsNothingInAreNoted) {
  const Vector y = {1, 2, 3, 4};
  const auto notes = [&](const char* kernel) {
    const Points x = strings({"abcd", "ab", "", "bcda"});
    return fit("ridge", {}, {.K = lazy(parse(kernel), x), .y = Matrix(MatrixView(y.data(), 4, 1))}).report().notes;
  };
  const auto mentions = [](const std::vector<std::string>& all) {
    return std::count_if(all.begin(), all.end(), [](const std::string& note) {
      return note.find("2 of 4 points have k(x, x) = 0") != std::string::npos;
    });
  };
  EXPECT_EQ(mentions(notes("spectrum(k=3)")), 1);
  EXPECT_EQ(mentions(notes("spectrum(k=3) + 1")), 0);
}

}  // namespace
}  // namespace mercer::together_test
