// What is said of the origin is what kernels do when all points move: a row of the catalog that is a function of x - y
// and not named in src/kernel/origin.cpp is told here.
#include "kernel/origin.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "laws/random_kernels.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::origin_test {
namespace {

using detail::Origin;
using detail::origin_of;

// Positive coordinates, which some kernels want; the same points a little further out.
Points points(Index dimension, double by) {
  Matrix x = test::random_matrix(15, dimension, 4);
  for (double& value : std::span(x.data(), static_cast<std::size_t>(x.rows() * x.cols())))
    value = std::abs(value) + 0.1 + by;
  return rows(std::move(x));
}

// K once the mean of the features is taken out.
Matrix centred(Matrix K) {
  for (int pass = 0; pass < 2; ++pass) {  // rows, then columns, which symmetric matrices have alike
    Vector means;
    for (Index i = 0; i < K.rows(); ++i) {
      double sum = 0;
      for (Index j = 0; j < K.cols(); ++j) sum += pass == 0 ? K(i, j) : K(j, i);
      means.push_back(sum / static_cast<double>(K.cols()));
    }
    for (Index i = 0; i < K.rows(); ++i) {
      for (Index j = 0; j < K.cols(); ++j) K(i, j) -= means[static_cast<std::size_t>(pass == 0 ? i : j)];
    }
  }
  return K;
}

struct Moves {
  bool plain, centred;  // whether K, and K without its mean, are others where all points are elsewhere
};
Moves moves(const Kernel& k, Index dimension) {
  const Matrix here = gram(k, points(dimension, 0)), there = gram(k, points(dimension, 0.75));
  const auto differ = [](const Matrix& a, const Matrix& b) {
    double gap = 0, scale = 0;
    for (Index e = 0; e < a.rows() * a.cols(); ++e) {
      gap = std::max(gap, std::abs(a.data()[e] - b.data()[e]));
      scale = std::max(scale, std::abs(a.data()[e]));
    }
    return gap > 1e-9 * scale;
  };
  return {differ(here, there), differ(centred(here), centred(there))};
}

// The least that can be said of it.
Origin seen_of(const Moves& moved) {
  if (!moved.plain) return Origin::unseen;
  return moved.centred ? Origin::seen : Origin::adds;
}

TEST(OriginOfKernels, OfEveryRowIsWhatItDoes) {
  int tried = 0;
  for (const CatalogRow& row : catalog()) {
    const bool on_numbers = row.domain == "reals" || row.domain == "any";
    // Numbers of tasks are no places, and what is assumed is a matrix.
    const bool of_places = row.name != "coregion" && row.name != "assume_psd";
    if (row.is_rule || !on_numbers || !of_places || row.example.empty()) continue;
    const Kernel k = parse(row.example);
    const Index d = k.domain().dimension == Domain::any_dimension ? 2 : k.domain().dimension;
    const Origin said = std::max(Origin::unseen, origin_of(k));
    EXPECT_EQ(static_cast<int>(said), static_cast<int>(seen_of(moves(k, d))))
        << row.example << ": src/kernel/origin.cpp";
    ++tried;
  }
  EXPECT_GT(tried, 15);
}

TEST(OriginOfKernels, OfExpressionsIsNeverSaidTooWell) {
  RandomKernels random(11, 2);
  int unseen = 0, adds = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Kernel k = random.tree(trial % 3);
    const Origin said = origin_of(k);
    if (said == Origin::seen) continue;
    const Moves moved = moves(k, 2);
    EXPECT_FALSE(said == Origin::adds ? moved.centred : moved.plain) << k.str();
    said == Origin::adds ? ++adds : ++unseen;
  }
  EXPECT_GT(unseen, 50);
  EXPECT_GT(adds, 5);
}

}  // namespace
}  // namespace mercer::origin_test
