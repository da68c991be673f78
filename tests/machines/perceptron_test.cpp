#include "mercer/machines/perceptron.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::perceptron_test {
namespace {

using test::expect_error;
using test::random_matrix;

std::vector<std::string> names_of(const std::vector<Index>& classes) {
  std::vector<std::string> names;
  for (const Index c : classes) names.push_back(std::string(1, static_cast<char>('a' + c)));
  return names;
}

// Points in `count` overlapping sectors of the plane.
struct Data {
  Matrix x;
  std::vector<Index> classes;
  Labels labels() const { return Labels::from(names_of(classes)); }
};
Data sectors(Index n, Index count, unsigned seed, double blur) {
  Data data{random_matrix(n, 2, seed), {}};
  const Vector noise = test::random_vector(n, seed + 100, -blur, blur);
  for (Index i = 0; i < n; ++i) {
    const double angle = std::atan2(data.x(i, 1), data.x(i, 0)) / (2 * M_PI) + 0.5 + noise[at(i)];
    data.classes.push_back(static_cast<Index>(std::floor((angle - std::floor(angle)) * static_cast<double>(count))));
  }
  for (Index c = 0; c < count; ++c) data.classes[at(c)] = c;  // all occur, in order
  return data;
}

const Kernel kKernel = parse("1 + rbf(ell=0.6)");

// The textbook, word for word, for two classes: f is summed anew at each visit.
struct Textbook {
  Vector alpha, sum;
  Index mistakes = 0;
};
Textbook textbook(const Matrix& K, const std::vector<Index>& classes, Index passes, Index budget) {
  const Index n = K.rows();
  Textbook t{Vector(at(n)), Vector(at(n))};
  std::deque<Index> age;
  for (Index pass = 0; pass < passes; ++pass) {
    Index mistakes = 0;
    for (Index i = 0; i < n; ++i) {
      double f = 0;
      for (Index j = 0; j < n; ++j) f += t.alpha[at(j)] * K(i, j);
      const double y = classes[at(i)] == 1 ? 1 : -1;
      if (y * f <= 0) {
        ++mistakes;
        t.alpha[at(i)] += y;
        if (std::find(age.begin(), age.end(), i) == age.end()) age.push_back(i);
        if (budget > 0 && static_cast<Index>(age.size()) > budget) {
          t.alpha[at(age.front())] = 0;
          age.pop_front();
        }
      }
      for (Index j = 0; j < n; ++j) t.sum[at(j)] += t.alpha[at(j)];
    }
    t.mistakes += mistakes;
    if (mistakes == 0) break;
  }
  return t;
}

Vector full_alpha(const Model& m, Index n) {
  Vector out(at(n));
  for (std::size_t s = 0; s < m.support().size(); ++s) {
    out[at(m.support()[s])] = m.expansion().parts().alpha(static_cast<Index>(s), 0);
  }
  return out;
}

TEST(Perceptron, IsTheTextbook) {
  const Data data = sectors(80, 2, 1, 0.05);
  const Matrix K = gram(kKernel, rows(data.x));
  for (const Index epochs : {1, 4, 50}) {
    for (const Index budget : {0, 1, 7, 1000}) {
      const Textbook expected = textbook(K, data.classes, epochs, budget);
      const Model m =
          KernelPerceptron{.epochs = epochs, .budget = budget}.fit(lazy(kKernel, rows(data.x)), data.labels());
      EXPECT_EQ(full_alpha(m, 80), expected.alpha) << epochs << " " << budget;
      EXPECT_EQ(m.report().figure("mistakes"), static_cast<double>(expected.mistakes));
      EXPECT_TRUE(m.report().converged);
      EXPECT_LE(m.expansion().size(), budget > 0 ? budget : 80);
    }
  }
}

TEST(Perceptron, TheAverageIsTheMeanOverAllVisits) {
  const Data data = sectors(60, 2, 2, 0.05);
  const Matrix K = gram(kKernel, rows(data.x));
  for (const Index epochs : {1, 3}) {
    const Textbook expected = textbook(K, data.classes, epochs, 0);
    const Model m =
        KernelPerceptron{.epochs = epochs, .averaged = true}.fit(exact(kKernel, rows(data.x)), data.labels());
    const Vector alpha = full_alpha(m, 60);
    for (std::size_t i = 0; i < alpha.size(); ++i) {
      EXPECT_NEAR(alpha[i], expected.sum[i] / *m.report().figure("visits"), 1e-12);
    }
  }
}

TEST(Perceptron, EndsWhenSeparatedAndThenMakesNoMistake) {
  const Data data = sectors(100, 3, 3, 0);
  const Kernel k = parse("rbf(ell=0.15)");
  const Model m = KernelPerceptron{.epochs = 1000}.fit(lazy(k, rows(data.x)), data.labels());
  EXPECT_EQ(m.report().stopped, "a pass without a mistake");
  EXPECT_EQ(m.report().figure("mistakes_in_last_pass"), 0.0);
  EXPECT_EQ(m.predict_labels(rows(data.x)), names_of(data.classes));
  ASSERT_NE(m.report().table("passes"), nullptr);
  EXPECT_EQ(static_cast<double>(m.report().table("passes")->rows.rows()), *m.report().figure("passes"));
}

TEST(Perceptron, NovikoffBoundsTheMistakes) {
  // Separated by a margin gamma of a unit vector: at most (largest |phi| / gamma)^2 mistakes, however many passes.
  Matrix x = random_matrix(200, 2, 4);
  std::vector<Index> classes;
  double radius = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    x(i, 0) += x(i, 0) > 0 ? 0.3 : -0.3;
    classes.push_back(x(i, 0) > 0 ? 1 : 0);
    radius = std::max(radius, std::hypot(x(i, 0), x(i, 1)));
  }
  const Model m =
      KernelPerceptron{.epochs = 1000}.fit(lazy(parse("linear()"), rows(x)), Labels::from(names_of(classes)));
  EXPECT_EQ(m.report().figure("mistakes_in_last_pass"), 0.0);
  EXPECT_LE(*m.report().figure("mistakes"), std::pow(radius / 0.3, 2));
}

TEST(Perceptron, TwoClassesAsTwoOutputsGiveTheSame) {
  // A third class that no point has makes it two outputs of importance: f_1 - f_0 is twice the f of two classes.
  const Data data = sectors(70, 2, 5, 0.03);
  Labels three = data.labels();
  three.classes.push_back("nowhere");
  const Gram K = lazy(kKernel, rows(data.x));
  const Model two = KernelPerceptron{.epochs = 2}.fit(K, data.labels());
  const Model more = KernelPerceptron{.epochs = 2}.fit(K, three);
  ASSERT_EQ(more.expansion().outputs(), 3);
  // At the first visit f_0 = f_2 = 0 are equal rivals of class 1, and the first is taken; for class 0 it is class 1.
  EXPECT_EQ(more.report().figure("mistakes"), two.report().figure("mistakes"));
  const Matrix f = two.scores(rows(data.x)), g = more.scores(rows(data.x));
  for (Index i = 0; i < f.rows(); ++i) EXPECT_NEAR(g(i, 1) - g(i, 0), 2 * f(i, 0), 1e-10);
}

TEST(Perceptron, WeightsAreStepSizesAndZeroIsAbsent) {
  const Data data = sectors(40, 2, 6, 0.05);
  Vector weights(40, 2.0);
  const Gram K = exact(kKernel, rows(data.x));
  const Model plain = KernelPerceptron{}.fit(K, data.labels());
  const Model doubled = KernelPerceptron{}.fit({.K = K, .labels = data.labels(), .weights = weights});
  for (Index i = 0; i < plain.expansion().size(); ++i) {
    EXPECT_EQ(doubled.expansion().parts().alpha(i, 0), 2 * plain.expansion().parts().alpha(i, 0));
  }
  for (std::size_t i = 20; i < 40; ++i) weights[i] = 0;
  const Model half = KernelPerceptron{}.fit({.K = K, .labels = data.labels(), .weights = weights});
  EXPECT_EQ(half.report().figure("visits"), 20.0);
  for (const Index i : half.support()) EXPECT_LT(i, 20);
}

// ---- going on ----

TEST(Perceptron, BatchesAreOnePass) {
  for (const Index count : {2, 4}) {
    const Data data = sectors(90, count, 7, 0.05);
    const Points x = rows(data.x);
    for (const Index budget : {0, 9}) {
      const KernelPerceptron machine{.budget = budget};
      const Model whole = machine.fit(lazy(kKernel, x), data.labels());
      const std::vector<std::string> names = names_of(data.classes);
      std::optional<Model> m;
      Index mistakes = 0;
      for (Index first = 0; first < 90; first += 30) {
        const Range part{first, first + 30};
        const std::vector<std::string> some(names.begin() + part.begin, names.begin() + part.end);
        m = machine.partial_fit({.K = lazy(kKernel, x.slice(part)), .labels = Labels::from(some), .start = m});
        mistakes += static_cast<Index>(*m->report().figure("mistakes"));
      }
      EXPECT_EQ(static_cast<double>(mistakes), *whole.report().figure("mistakes"));
      EXPECT_EQ(m->expansion().size(), whole.expansion().size());
      EXPECT_EQ(m->expansion().parts().training_size, 90);
      const Points test = rows(random_matrix(20, 2, 8));
      test::expect_near(m->scores(test), whole.scores(test), 1e-11);
    }
  }
}

TEST(Perceptron, ABatchMayHaveOneClassButNoNewOne) {
  const Data data = sectors(30, 2, 9, 0.05);
  const Model m = KernelPerceptron{}.fit(lazy(kKernel, rows(data.x)), data.labels());
  const Points more = rows(random_matrix(3, 2, 10));
  const auto go_on = [&](const Kernel& k, const std::vector<std::string>& names) {
    return KernelPerceptron{}.partial_fit({.K = lazy(k, more), .labels = Labels::from(names), .start = m});
  };
  EXPECT_EQ(go_on(kKernel, {"b", "b", "b"}).classes(), m.classes());
  const Labels told{.classes = {"a", "b"}, .of = {0, 0, 0}};  // of a class that is yet to come
  EXPECT_EQ(KernelPerceptron{}.fit(lazy(kKernel, more), told).predict_labels(more).front(), "a");
  expect_error([&] { go_on(kKernel, {"b", "z", "b"}); }, "UsageError", {"\"z\"", "a, b"});
  expect_error([&] { go_on(parse("rbf(ell=2)"), {"a", "b", "b"}); }, "UsageError", {"rbf(ell=0.6)", "rbf(ell=2)"});
}

TEST(Perceptron, GoesOnWithAMatrixOfNumbers) {
  const Data data = sectors(50, 2, 11, 0.05);
  const Gram K = precomputed(gram(kKernel, rows(data.x)));
  const Model two = KernelPerceptron{.epochs = 2}.fit(K, data.labels());
  Training again{.K = K, .labels = data.labels()};
  again.start = KernelPerceptron{}.fit(again);
  const Model resumed = KernelPerceptron{}.fit(again);
  EXPECT_EQ(full_alpha(resumed, 50), full_alpha(two, 50));
  again.start = KernelPerceptron{}.fit(precomputed(Matrix{{1, 0}, {0, 1}}), Labels::from(Vector{0, 1}));
  again.labels = Labels::from(Vector(50, 1.0));
  expect_error([&] { KernelPerceptron{}.fit(again); }, "UsageError", {"2 points"});
}

TEST(Perceptron, GoesOnWithStringsAndMixedTables) {
  const Kernel k = parse("on(t, spectrum(k=2)) + on(v, rbf(ell=1))");
  const std::vector<std::string> text{"abab", "cdcd", "abba", "ccdd", "aabb", "dcdc"};
  const Matrix v = random_matrix(6, 1, 12);
  const Points x = table({{"t", strings(text)}, {"v", rows(v)}});
  const Labels labels = Labels::from(std::vector<std::string>{"l", "r", "l", "r", "l", "r"});
  const Model whole = KernelPerceptron{}.fit(lazy(k, x), labels);
  const Labels some = Labels::from(std::vector<std::string>{"l", "r", "l"});
  const Model first = KernelPerceptron{}.fit(lazy(k, x.slice({0, 3})), some);
  const Model both = KernelPerceptron{}.partial_fit(
      {.K = lazy(k, x.slice({3, 6})), .labels = Labels::from(std::vector<std::string>{"r", "l", "r"}), .start = first});
  test::expect_near(both.scores(x), whole.scores(x), 1e-12);
}

// ---- stopping, bad input ----

TEST(Perceptron, ByName) {
  const Data data = sectors(50, 3, 16, 0.1);
  const Training training{.K = lazy(kKernel, rows(data.x)), .labels = data.labels()};
  const Model a = fit("perceptron", {{"epochs", "3"}, {"averaged", "true"}}, training);
  const Model b = KernelPerceptron{.epochs = 3, .averaged = true}.fit(training);
  EXPECT_EQ(a.expansion().parts().alpha, b.expansion().parts().alpha);
  EXPECT_EQ(a.parts().settings.at("budget"), "0");
  expect_error([&] { fit("perceptron", {{"epochs", "0"}}, training); }, "UsageError", {"epochs"});
  expect_error([&] { fit("perceptron", {{"epoch", "2"}}, training); }, "UsageError", {"epochs"});
  expect_error([&] { fit("perceptron", {{"averaged", "true"}, {"budget", "3"}}, training); }, "UsageError", {"budget"});
}

TEST(Perceptron, BadInput) {
  const Matrix x = random_matrix(4, 2, 17);
  const Gram K = lazy(kKernel, rows(x));
  expect_error([&] { KernelPerceptron{}.fit(K, Labels::from(Vector{1, 1, 1, 1})); }, "DataError", {"every label is"});
  expect_error([&] { KernelPerceptron{}.fit(K, Labels::from(Vector{1, 2})); }, "ShapeError", {"2 labels for 4"});
  expect_error(
      [&] {
        KernelPerceptron{}.fit(shifted(K, 1), Labels::from(Vector{1, 2, 1, 2}));
      },
      "UsageError", {"shifted"});
  expect_error(
      [&] {
        KernelPerceptron{.epochs = 0}.fit(K, Labels::from(Vector{1, 2, 1, 2}));
      },
      "UsageError", {"epochs"});
}

}  // namespace
}  // namespace mercer::perceptron_test
