// The numbers by which points are found again.
#include "domains/fingerprints.hpp"

#include <gtest/gtest.h>

#include <set>

#include "domains/domains.hpp"
#include "points/join.hpp"
#include "points/rep.hpp"

namespace mercer::fingerprints_test {
namespace {

// Two points have one number exactly where they compare as equal.
void expect_law(const Points& x) {
  const std::vector<std::int64_t> found = fingerprints(x);
  ASSERT_EQ(static_cast<Index>(found.size()), x.size());
  for (Index i = 0; i < x.size(); ++i) {
    for (Index j = 0; j < x.size(); ++j) {
      EXPECT_EQ(found[static_cast<std::size_t>(i)] == found[static_cast<std::size_t>(j)], x.rep().compare(i, j) == 0)
          << x.domain().str() << ": " << i << ", " << j;
    }
  }
}

TEST(Fingerprints, TellPointsOfEveryDomainApart) {
  for (const detail::DomainRow& domain : detail::domains()) {
    if (domain.sample == nullptr) continue;
    const Points x = domain.sample(20, 7);
    const Points twice = join(x, x.select(std::vector<Index>{3, 0, 19}));
    expect_law(twice);
    Matrix z(twice.size(), 2);
    for (Index i = 0; i < z.rows(); ++i) z(i, i % 2) = static_cast<double>(i % 3);
    expect_law(table({{"object", twice}, {"z", rows(std::move(z))}}));
  }
}

// What is joined are the points that were selected, in every domain.
TEST(Fingerprints, OfJoinedSelectionsAreThoseOfTheirPoints) {
  for (const detail::DomainRow& domain : detail::domains()) {
    if (domain.sample == nullptr) continue;
    const Points x = domain.sample(20, 7);
    const std::vector<Index> first = {4, 17, 1}, second = {9, 2, 19, 0};
    const std::vector<std::int64_t> all = fingerprints(x),
                                    joined = fingerprints(join(x.select(first), x.select(second)));
    std::vector<std::int64_t> expected;
    for (const Index i : first) expected.push_back(all[static_cast<std::size_t>(i)]);
    for (const Index i : second) expected.push_back(all[static_cast<std::size_t>(i)]);
    EXPECT_EQ(joined, expected) << x.domain().str();
  }
}

TEST(Fingerprints, DoNotDependOnHowRowsAreStored) {
  const Matrix values{{1, 0, -2.5}, {-0.0, 0, 0}, {0, 0, 7}, {0, 7, 0}};
  std::vector<float> single;
  SparseMatrix sparse{.rows = values.rows(), .cols = values.cols(), .offsets = {0}};
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) {
      single.push_back(static_cast<float>(values(i, j)));
      if (values(i, j) == 0) continue;
      sparse.columns.push_back(static_cast<std::int32_t>(j));
      sparse.values.push_back(values(i, j));
    }
    sparse.offsets.push_back(static_cast<Index>(sparse.values.size()));
  }
  const std::vector<std::int64_t> dense = fingerprints(rows(Matrix(values)));
  EXPECT_EQ(fingerprints(rows(FloatMatrixView(single.data(), values.rows(), values.cols()))), dense);
  EXPECT_EQ(fingerprints(rows(std::move(sparse))), dense);
  EXPECT_EQ(std::set<std::int64_t>(dense.begin(), dense.end()).size(), dense.size());
}

// Model files keep them: they must not change with the version. By hand: SplitMix64's finalizer over 0 (the column) and
// the bits of 1.0.
TEST(Fingerprints, StayWhatTheyAre) {
  const auto mixed = [](std::uint64_t hash, std::uint64_t word) {
    std::uint64_t z = hash + word + 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  // The first output of SplitMix64 from the seed 0, as published.
  ASSERT_EQ(mixed(0, 0), 0xe220a8397b1dcdafU);
  const std::uint64_t expected = mixed(mixed(0, 0), 0x3ff0000000000000U);
  EXPECT_EQ(fingerprints(rows(Matrix{{1, 0}})).front(), static_cast<std::int64_t>(expected));
}

}  // namespace
}  // namespace mercer::fingerprints_test
