#include <gtest/gtest.h>

#include <cmath>

#include "domains/domains.hpp"
#include "laws/oracle.hpp"
#include "laws/random_kernels.hpp"
#include "mercer/testing.hpp"
#include "points/join.hpp"
#include "points/rep.hpp"

namespace mercer::laws_test {
namespace {

using testing::broken_algebra_laws;
using testing::broken_gram_laws;
using testing::broken_laws;
const std::vector<std::string> none;

double oracle_gap(const Kernel& k, const Points& x) {
  const Matrix K = gram(k, x);
  const DenseRows rows = dense_rows(x);
  double gap = 0, scale = 0;
  for (Index i = 0; i < x.size(); ++i) {
    for (Index j = 0; j < x.size(); ++j) {
      const oracle::Point a(rows.values.row(i), rows.values.row(i) + rows.values.cols());
      const oracle::Point b(rows.values.row(j), rows.values.row(j) + rows.values.cols());
      const auto expected = static_cast<double>(oracle::evaluate(k.node(), a, b));
      gap = std::max(gap, std::abs(K(i, j) - expected));
      scale = std::max(scale, std::abs(expected));
    }
  }
  return gap / scale;
}

// Points all of whose coordinates are > 0, for kernels that need it; none equal, none on a kink.
Points positive_points(Index count, Index dimension, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0.1, 3);
  Matrix x(count, dimension);
  for (Index i = 0; i < count; ++i) {
    for (Index k = 0; k < dimension; ++k) x(i, k) = uniform(engine);
  }
  return rows(std::move(x));
}

Points tasks(Index count) {
  Matrix x(count, 1);
  for (Index i = 0; i < count; ++i) x(i, 0) = i % 3 == 0 ? 1 : 2;
  return rows(std::move(x));
}

// Every row of the catalog through its example, in the dimensions that take different code paths.
TEST(Laws, EveryCatalogExampleOnVectors) {
  for (const CatalogRow& row : catalog()) {
    if (row.example.empty() || row.name == "assume_psd") continue;
    const Kernel k = parse(row.example);
    if (k.domain().kind != "reals" && k.domain().kind != "any") continue;
    if (row.domain == "gaussians")
      continue;  // takes other things too, and so any; tests/domains/bags has it on vectors
    for (const Index d : {1, 2, 30}) {
      if (k.domain().dimension != Domain::any_dimension && k.domain().dimension != d) continue;
      if (row.name == "on" && d < 2) continue;
      SCOPED_TRACE(row.example + " in dimension " + std::to_string(d));
      const bool of_tasks = row.name == "coregion";
      const Points x = of_tasks ? tasks(20) : positive_points(20, d, 5);
      // The angle of arccos(order=0) and of ntk has a kink where x = y, and K(X, X) has such pairs.
      const bool kink = row.name == "arccos" || row.name == "ntk";
      EXPECT_EQ(broken_laws(k, x, {.input_gradient = !kink && !of_tasks}), none);
      EXPECT_LT(oracle_gap(k, x), 1e-12);
    }
  }
}

TEST(Laws, AngleKernelsOfBothOrdersAndSeveralDepths) {
  RandomKernels random(3, 4);
  const Points x = random.points(25);
  for (const Kernel& k : {arccos(0), arccos(1), ntk(1), ntk(3)}) {
    SCOPED_TRACE(k.str());
    EXPECT_EQ(broken_laws(k, x, {.input_gradient = false}), none);
    EXPECT_LT(oracle_gap(k, x), 1e-12);
  }
}

// Away from equal points their input gradients are smooth.
TEST(Laws, AngleKernelsInputGradient) {
  RandomKernels random(4, 3);
  const Points x = random.points(6), y = random.points(5);
  const DenseRows rows_x = dense_rows(x);
  Matrix w(6, 5);
  for (Index i = 0; i < 30; ++i) w.data()[i] = std::sin(1.0 + static_cast<double>(i));
  for (const Kernel& k : {arccos(0), arccos(1), ntk(2), cosine()}) {
    const Matrix exact = input_gradient(k, x, y, w);
    for (Index i = 0; i < 6; ++i) {
      for (Index c = 0; c < 3; ++c) {
        const auto value = [&](double by) {
          Matrix moved(rows_x.values);
          moved(i, c) += by;
          const Matrix K = cross(k, rows(std::move(moved)), y);
          double total = 0;
          for (Index e = 0; e < 30; ++e) total += K.data()[e] * w.data()[e];
          return total;
        };
        EXPECT_NEAR(exact(i, c), (value(1e-5) - value(-1e-5)) / 2e-5, 1e-7) << k.str();
      }
    }
  }
}

TEST(Laws, TwoHundredRandomTrees) {
  for (int t = 0; t < 200; ++t) {
    RandomKernels random(static_cast<std::uint64_t>(t), 1 + t % 4);
    const Kernel k = random.tree(t % 4);
    const Points x = random.points(11);
    SCOPED_TRACE("tree " + std::to_string(t) + ": " + k.str());
    EXPECT_EQ(broken_laws(k, x, {.input_gradient = false}), none);  // theirs follow, where they have no kink
    EXPECT_LT(oracle_gap(k, x), 1e-11);
  }
}

TEST(Laws, InputGradientsOfRandomTreesWithoutKinks) {
  int tested = 0;
  for (int t = 0; tested < 60; ++t) {
    RandomKernels random(static_cast<std::uint64_t>(1000 + t), 1 + t % 4);
    const Kernel k = random.tree(t % 4);
    const std::string text = k.str();
    bool kink = false;  // or a jump, where x = y
    for (const char* name : {"exponential", "laplace", "nu=0.5", "arccos", "ntk", "equal", "hamming"}) {
      kink = kink || text.find(name) != std::string::npos;
    }
    if (kink) continue;
    ++tested;
    SCOPED_TRACE("tree " + std::to_string(t) + ": " + text);
    EXPECT_EQ(broken_laws(k, random.points(9)), none);
  }
}

TEST(Laws, AlgebraOnRandomTrees) {
  for (int t = 0; t < 40; ++t) {
    RandomKernels random(static_cast<std::uint64_t>(500 + t), 1 + t % 3);
    const Kernel a = random.tree(t % 3), b = random.tree(1), c = random.leaf();
    SCOPED_TRACE(a.str() + " | " + b.str() + " | " + c.str());
    EXPECT_EQ(broken_algebra_laws(a, b, c, random.points(15)), none);
  }
}

// Every kernel of every other domain, on points that the domain draws: as it is, normalised, and beside others.
TEST(Laws, EveryCatalogExampleOnItsDomain) {
  for (const detail::DomainRow& domain : detail::domains()) {
    if (domain.kind == "reals" || domain.kernels == nullptr) continue;
    const Points x = domain.sample(9, 7), others = domain.sample(5, 8);
    for (const detail::Entry& entry : domain.kernels()) {
      SCOPED_TRACE(entry.example);
      const Kernel k = parse(entry.example);
      EXPECT_EQ(broken_laws(k, x), none);
      EXPECT_EQ(broken_laws(2 * normalize(k) + 1, x), none);
      const Points both = table({{"object", x}, {"z", positive_points(x.size(), 2, 3)}});
      EXPECT_EQ(broken_laws(on("object", normalize(k)) * on("z", rbf(1.5)), both), none);
      // Points of one store and of two are the same points.
      EXPECT_EQ(cross(k, x, join(others, x)).view().rows(), x.size());
      const Points joined = join(others, x);
      const Matrix whole = cross(k, x, joined), first = cross(k, x, others);
      for (Index i = 0; i < x.size(); ++i) {
        for (Index j = 0; j < others.size(); ++j) EXPECT_EQ(whole(i, j), first(i, j)) << i << ", " << j;
      }
    }
  }
}

// A store keeps what was asked of it, and its slices and selections ask the store.
TEST(Laws, SelectionsOfObjectsAreSelectionsOfTheMatrix) {
  for (const detail::DomainRow& domain : detail::domains()) {
    if (domain.kind == "reals" || domain.kernels == nullptr) continue;
    const Points x = domain.sample(9, 11);
    const std::vector<Index> some = {7, 2, 2, 5};
    for (const detail::Entry& entry : domain.kernels()) {
      SCOPED_TRACE(entry.example);
      const Kernel k = parse(entry.example);
      const Matrix all = gram(k, x), part = cross(k, x.select(some), x.slice({3, 8}));
      for (Index i = 0; i < part.rows(); ++i) {
        for (Index j = 0; j < part.cols(); ++j) {
          EXPECT_EQ(part(i, j), all(some[static_cast<std::size_t>(i)], 3 + j)) << i << ", " << j;
        }
      }
    }
  }
}

TEST(Laws, StringsAndMixedTables) {
  const Points text = strings({"banana", "ananas", "bandana", "", "cabana", "an", "anagram"});
  EXPECT_EQ(broken_laws(spectrum(2), text), none);
  EXPECT_EQ(broken_laws(normalize(spectrum(3)), text), none);
  EXPECT_EQ(broken_laws(2.0 * pow(1.0 + normalize(spectrum(1)), 2), text), none);
  const Points mixed = table({{"age", positive_points(7, 1, 2)}, {"text", text}, {"z", positive_points(7, 3, 3)}});
  EXPECT_EQ(
      broken_laws(parse("on(text, normalize(spectrum(k=3)))*on(age, rbf(ell=10)) + on(z, rbf(ell=[1, 2, 3]))"), mixed),
      none);
}

// Radial kernels see differences only. At an offset of 1e6 the uncentred GEMM distance loses everything.
TEST(Laws, OffsetsDoNotMatterToRadialKernels) {
  for (const char* text :
       {"rbf(ell=1)", "matern(nu=1.5, ell=2)", "exponential(ell=1)", "rq(ell=1, alpha=2)", "laplace(ell=3)",
        "periodic(period=2, ell=1)",
        "rbf(ell=[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])"}) {
    const Kernel k = parse(text);
    for (const Index d : {2, 30}) {
      if (k.domain().dimension == 30 && d != 30) continue;
      std::mt19937_64 engine(7);
      std::normal_distribution<double> normal;
      Matrix near(40, d), far(40, d);
      for (Index i = 0; i < 40; ++i) {
        for (Index c = 0; c < d; ++c) {
          far(i, c) = 1e6 + normal(engine);
          near(i, c) = far(i, c) - 1e6;  // exact: both are multiples of the same power of two
        }
      }
      const Matrix a = gram(k, rows(near)), b = gram(k, rows(far));
      double gap = 0;
      for (Index e = 0; e < 1600; ++e) gap = std::max(gap, std::abs(a.data()[e] - b.data()[e]));
      EXPECT_LT(gap, 1e-9) << text << " in dimension " << d;
    }
  }
}

TEST(Laws, GramsOfEveryKind) {
  RandomKernels random(11, 3);
  const Points x = random.points(60);
  const Kernel k = parse("2*rbf(ell=1) + linear()*matern(nu=2.5, ell=1)");
  for (const Gram& g : {exact(k, x, {.tile = 16}), lazy(k, x), cached(lazy(k, x), 10 * 60 * 8), precomputed(gram(k, x)),
                        centred(exact(k, x)), centred(lazy(k, x)), shifted(lazy(k, x), 0.5),
                        shifted(centred(cached(exact(k, x), 1 << 20)), 2)}) {
    EXPECT_EQ(broken_gram_laws(g), none);
  }
}

}  // namespace
}  // namespace mercer::laws_test
