#include <gtest/gtest.h>

#include <cmath>

#include "mercer/mercer.hpp"
#include "mercer/testing.hpp"
#include "support.hpp"

namespace mercer::rbf_of_test {
namespace {

using test::random_matrix;
const std::vector<std::string> none;

TEST(RbfOf, OfLinearIsRbf) {
  const Points x = rows(random_matrix(30, 4, 1));
  const Matrix a = gram(rbf_of(linear(), 1.3), x), b = gram(rbf(1.3), x);
  for (Index e = 0; e < 900; ++e) EXPECT_NEAR(a.data()[e], b.data()[e], 1e-13);
  for (Index i = 0; i < 30; ++i) EXPECT_EQ(a(i, i), 1);
}

TEST(RbfOf, ObeysTheLawsAroundAnything) {
  const Points x = rows(random_matrix(14, 3, 2));
  for (const char* text :
       {"rbf_of(rbf(ell=0.7), ell=0.5)", "normalize(rbf_of(2*matern(nu=2.5, ell=1) + linear(), ell=2))",
        "rbf_of(rbf_of(poly(degree=2, c=1), ell=3), ell=0.5)*rbf(ell=1)"}) {
    EXPECT_EQ(testing::broken_laws(parse(text), x), none) << text;
  }
  EXPECT_EQ(testing::broken_laws(parse("rbf_of(spectrum(k=2), ell=2)"), strings({"abab", "ba", "", "ba", "bbaab"})),
            none);
}

// exp(k(x,x)) may overflow where the normalised kernel does not.
TEST(Normalize, OfExponentialsWorksAmongExponents) {
  const Matrix K = gram(normalize(exp(linear())), rows(Matrix{{40, 1}, {41, 0}}));
  EXPECT_NEAR(K(0, 1), std::exp(-1.0), 1e-11);  // exp(-|x-y|^2/2)
  EXPECT_EQ(K(0, 0), 1);
  EXPECT_EQ(testing::broken_laws(parse("normalize(3*exp(0.5*linear())*rbf(ell=2))"), rows(random_matrix(12, 2, 3))),
            none);
}

}  // namespace
}  // namespace mercer::rbf_of_test
