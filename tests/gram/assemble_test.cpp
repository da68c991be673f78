// All of K, or some of its points in any order, in a caller's buffer; and Grams that are not what their kernel says.
#include "gram/assemble.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/at.hpp"
#include "machines/svm_data.hpp"
#include "mercer/choose.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/machines/kde.hpp"
#include "mercer/machines/nadaraya_watson.hpp"
#include "mercer/machines/ols.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/machines/svm.hpp"
#include "support.hpp"

namespace mercer::assemble_test {
namespace {

using namespace test;
using detail::assemble;

struct Named {
  std::string name;
  Gram K;
};

// Every kind of Gram of the same points; more than one batch of rows.
std::vector<Named> grams(const Points& x) {
  const Kernel k = rbf(0.8) + 0.1 * linear();
  return {{"lazy", lazy(k, x)},
          {"exact", exact(k, x)},
          {"cached", cached(lazy(k, x), 1 << 16)},
          {"precomputed", precomputed(gram(k, x))},
          {"centred", centred(lazy(k, x))},
          {"shifted", shifted(exact(k, x), 0.5)}};
}

TEST(Assemble, WritesAllOfK) {
  const Index n = 300;
  for (const auto& [name, K] : grams(rows(random_matrix(n, 2, 70)))) {
    SCOPED_TRACE(name);
    std::vector<Index> all(at(n));
    std::iota(all.begin(), all.end(), Index{0});
    const Matrix truth = K.rows(all);
    Matrix out(n, n + 3, -1.0);  // a block of a larger matrix
    K.fill(out.ref().block({0, n}, {0, n}));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) ASSERT_NEAR(out(i, j), truth(i, j), 1e-12);
      for (Index j = n; j < n + 3; ++j) ASSERT_EQ(out(i, j), -1);
    }
  }
}

TEST(Assemble, SomePointsInAnyOrder) {
  const Index n = 300;
  for (const auto& [name, K] : grams(rows(random_matrix(n, 2, 71)))) {
    std::vector<Index> all(at(n)), reversed, cycled, some, repeated;
    std::iota(all.begin(), all.end(), Index{0});
    const Matrix truth = K.rows(all);
    reversed.assign(all.rbegin(), all.rend());
    for (Index i = 0; i < n; ++i) cycled.push_back((i * 7 + 3) % n);
    for (Index i = 0; i < n; i += 3) some.push_back((i * 7 + 3) % n);
    repeated = some;
    repeated.resize(at(n), 5);  // as many as all, and yet not all
    for (const auto& which : {all, reversed, cycled, some, repeated, std::vector<Index>{42}, std::vector<Index>{}}) {
      SCOPED_TRACE(name + ", " + std::to_string(which.size()) + " points");
      const auto count = static_cast<Index>(which.size());
      Matrix out(count, count);
      assemble(K, which, out, {});
      for (Index i = 0; i < count; ++i) {
        for (Index j = 0; j < count; ++j) ASSERT_NEAR(out(i, j), truth(which[at(i)], which[at(j)]), 1e-12);
      }
    }
  }
}

TEST(Assemble, MachinesThatUseTheKernelRefuseAGramThatIsNotItsOwn) {
  const Sample s = moons(40, 0.2);
  const Gram K = lazy(rbf(0.7), s.points()), line = lazy(linear(), rows(Matrix{{1}, {3}}));
  for (const Gram& other : {centred(K), shifted(K, 0.1), select(shifted(K, 0.1), {0, 1, 2, 3})}) {
    const Sample some = moons(other.size(), 0.2);
    const Labels labels = some.labels();
    expect_error([&] { Svc{}.fit(other, labels); }, "UsageError", {"centred()", "shifted()", "plain"});
    expect_error([&] { Svr{}.fit(other, some.target); }, "UsageError", {"plain"});
    expect_error([&] { OneClass{}.fit({.K = other}); }, "UsageError", {"plain"});
    expect_error([&] { KernelDensity{}.fit({.K = other}); }, "UsageError", {"plain"});
    expect_error([&] { NadarayaWatson{}.fit(other, some.target); }, "UsageError", {"plain"});
    expect_error([&] { GaussianProcess{}.fit(other, some.target); }, "UsageError", {"plain"});
    const Training training{.K = other, .y = Matrix(MatrixView(some.target.data(), some.size(), 1))};
    expect_error([&] { choose(machine("ridge"), {}, false, training); }, "UsageError", {"plain"});
  }
  expect_error([&] { Svc{}.fit(centred(line), Labels::from(VectorView(Vector{0, 1}))); }, "UsageError", {"plain"});
  // As numbers they are welcome: nothing is promised about new points but what their rows say.
  std::vector<Index> all(40);
  std::iota(all.begin(), all.end(), Index{0});
  const Matrix numbers = centred(K).rows(all);
  const Model m = Svc{.C = 10, .tolerance = 1e-6}.fit(precomputed(numbers), s.labels());
  const Model plain = Svc{.C = 10, .tolerance = 1e-6}.fit(K, s.labels());
  // With a bias, the centre of the features does not matter.
  expect_near(m.expansion().from_rows(numbers), plain.scores(s.points()), 1e-4);
}

// They take their f from K, which knows how it goes on to new points.
TEST(Assemble, LeastSquaresTakeACentredGramForWhatItIs) {
  const Sample s = moons(40, 0.2), test = moons(15, 0.3);
  const Gram plain = lazy(rbf(0.7), s.points());
  for (const Gram& K : {centred(plain), centred(cached(exact(rbf(0.7), s.points()), 1 << 16))}) {
    const Model m = KernelRidge{.ridge = 0.1}.fit(K, s.target);
    std::vector<Index> all(40);
    std::iota(all.begin(), all.end(), Index{0});
    const Model numbers = KernelRidge{.ridge = 0.1}.fit(precomputed(K.rows(all)), s.target);
    expect_near(m.scores(test.points()), K.expansion(numbers.expansion().parts().alpha)(test.points()), 1e-10);
    expect_close(m.expansion().norms(), numbers.expansion().norms(), 1e-9);
  }
  const Gram shift = shifted(plain, 0.1);
  expect_error([&] { KernelRidge{}.fit(shift, s.target); }, "UsageError", {"shifted()", "plain"});
  expect_error([&] { KernelLeastSquares{}.fit(centred(shift), s.target); }, "UsageError", {"shifted()", "plain"});
}

}  // namespace
}  // namespace mercer::assemble_test
