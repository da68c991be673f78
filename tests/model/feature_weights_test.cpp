// f(x) = w.phi(x) where the kernel has explicit features: the same numbers as the sum over the centres.
#include "model/feature_weights.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::feature_weights_test {
namespace {

std::vector<std::string> words(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::string> out(count);
  for (std::string& word : out) {
    const std::size_t length = engine() % 14;
    for (std::size_t p = 0; p < length; ++p) word += "ACGT"[engine() % 4];
  }
  return out;
}

TEST(FeatureWeights, AreTheSumOverTheCentres) {
  const Points text = strings(words(30, 1)), others = strings(words(9, 2));
  const Points x = table({{"a", text}, {"b", strings(words(30, 3))}, {"z", rows(test::random_matrix(30, 1, 4))}});
  const Points y = table({{"a", others}, {"b", strings(words(9, 5))}, {"z", rows(test::random_matrix(9, 1, 6))}});
  const Matrix alpha = test::random_matrix(30, 2, 7);
  for (const char* k : {"spectrum(k=2)", "3*normalize(spectrum(k=1) + 2*spectrum(k=3))"}) {
    const auto w = detail::feature_weights(parse(k), text, alpha);
    ASSERT_NE(w, nullptr) << k;
    test::expect_near(w->times(others), multiply(parse(k), others, text, alpha), 1e-12);
    test::expect_near(w->times(text), multiply(parse(k), text, text, alpha), 1e-12);
  }
  const Kernel mixed = parse("on(a, normalize(spectrum(k=2))) + 0.5*on(b, spectrum(k=1))");
  test::expect_near(detail::feature_weights(mixed, x, alpha)->times(y), multiply(mixed, y, x, alpha), 1e-12);
}

TEST(FeatureWeights, OtherKernelsHaveNone) {
  const Points x = table({{"a", strings(words(5, 1))}, {"z", rows(test::random_matrix(5, 1, 2))}});
  const Matrix alpha(5, 1, 1.0);
  for (const char* k : {"on(a, spectrum(k=2)) + on(z, rbf(ell=1))", "on(a, spectrum(k=2)^2)",
                        "on(a, spectrum(k=1))*on(a, spectrum(k=2))", "on(a, spectrum(k=2)) + 1"}) {
    EXPECT_EQ(detail::feature_weights(parse(k), x, alpha), nullptr) << k;
  }
}

// A model keeps its centres, and out of a file it has nothing else: the bits are those of before.
TEST(FeatureWeights, AreTheSameOutOfAFile) {
  const Points x = strings(words(40, 8)), y = strings(words(11, 9));
  const Kernel k = parse("normalize(spectrum(k=2))");
  const Matrix target = test::random_matrix(1, 30, 10);
  const Model fitted = KernelRidge{.ridge = 0.1}.fit(lazy(k, x.slice({5, 35})), {target.data(), 30});
  std::stringstream file;
  save(file, fitted);
  EXPECT_EQ(load_bytes(file.str(), "a model").scores(y), fitted.scores(y));
}

}  // namespace
}  // namespace mercer::feature_weights_test
