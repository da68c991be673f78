// Memory for rows of K: who gets room, and who makes it.
#include "machines/svm/row_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/at.hpp"

namespace mercer::row_cache_test {
namespace {

using detail::RowCache;

constexpr Index kLength = 48;
constexpr std::size_t kSlot = sizeof(float) * kLength;

// Asks for rows, fills those that are new with their numbers, and gives them back. Returns which were there already.
std::vector<Index> use(RowCache& cache, const std::vector<Index>& points, bool keep = true, Index segment = 0) {
  std::vector<RowCache::Lease> leases;
  cache.acquire(points, segment, keep, leases);
  std::vector<Index> ready;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (leases[k].data == nullptr) continue;
    const auto number = static_cast<float>(100 * segment + points[k]);
    if (leases[k].ready) {
      ready.push_back(points[k]);
      EXPECT_EQ(leases[k].data[0], number);
      EXPECT_EQ(leases[k].data[kLength - 1], number);
    } else {
      std::fill_n(leases[k].data, kLength, number);
    }
  }
  cache.release(points, segment, leases);
  return ready;
}

using Numbers = std::vector<Index>;

TEST(RowCache, KeepsWhatFits) {
  RowCache cache(10, {kLength}, 4 * kSlot);
  EXPECT_EQ(use(cache, {0, 1, 2, 3}), Numbers{});
  EXPECT_EQ(use(cache, {3, 2, 1, 0}), (Numbers{3, 2, 1, 0}));
  EXPECT_LE(cache.bytes(), 4 * kSlot);
}

// A row that two are reading makes room only when both have given it back.
TEST(RowCache, ARowInUseStays) {
  RowCache cache(10, {kLength}, kSlot);
  std::vector<RowCache::Lease> first, second, third;
  const Numbers one = {4}, other = {5};
  cache.acquire(one, 0, true, first);
  ASSERT_NE(first[0].data, nullptr);
  cache.release(one, 0, first);
  cache.acquire(one, 0, true, first);
  cache.acquire(one, 0, true, second);
  EXPECT_TRUE(first[0].ready && second[0].ready);
  cache.release(one, 0, first);
  cache.acquire(other, 0, true, third);
  EXPECT_EQ(third[0].data, nullptr);
  cache.release(other, 0, third);
  cache.release(one, 0, second);
  cache.acquire(other, 0, true, third);
  EXPECT_NE(third[0].data, nullptr);
  cache.release(other, 0, third);
}

TEST(RowCache, TheLeastRecentlyUsedMakesRoom) {
  RowCache cache(10, {kLength}, 3 * kSlot);
  use(cache, {0, 1, 2});
  use(cache, {0});
  EXPECT_EQ(use(cache, {3}), Numbers{});  // instead of 1
  EXPECT_EQ(use(cache, {0, 2, 3}), (Numbers{0, 2, 3}));
  EXPECT_EQ(use(cache, {1}), Numbers{});  // instead of 0
  EXPECT_EQ(use(cache, {2, 3, 1}), (Numbers{2, 3, 1}));
}

TEST(RowCache, OneRequestDoesNotDriveOutItsOwnRows) {
  RowCache cache(10, {kLength}, 3 * kSlot);
  use(cache, {0, 1, 2});
  EXPECT_EQ(use(cache, {3, 4, 0, 1, 2}), (Numbers{0, 1, 2}));
  EXPECT_EQ(use(cache, {5, 0, 1}), (Numbers{0, 1}));
}

TEST(RowCache, WhatIsNotToBeKeptTakesNoRoom) {
  RowCache cache(10, {kLength}, 2 * kSlot);
  EXPECT_EQ(use(cache, {0, 1, 2}, false), Numbers{});
  EXPECT_EQ(cache.bytes(), 0u);
  use(cache, {4});
  EXPECT_EQ(use(cache, {4, 5}, false), Numbers{4});
  EXPECT_EQ(use(cache, {5}), Numbers{});
}

TEST(RowCache, LentRowsStayWhereTheyAre) {
  RowCache cache(10, {kLength}, 2 * kSlot);
  std::vector<RowCache::Lease> first, second, third;
  const Numbers a{0, 1}, b{2, 0};
  cache.acquire(a, 0, true, first);
  ASSERT_NE(first[0].data, nullptr);
  ASSERT_NE(first[1].data, nullptr);
  cache.acquire(b, 0, true, second);
  EXPECT_EQ(second[0].data, nullptr) << "all room is lent";
  EXPECT_EQ(second[1].data, nullptr) << "another caller is filling it";
  cache.release(b, 0, second);
  cache.release(a, 0, first);
  cache.acquire(b, 0, true, third);
  EXPECT_EQ(third[1].data, first[0].data);
  EXPECT_TRUE(third[1].ready);
  EXPECT_EQ(third[0].data, first[1].data) << "1 is no longer lent";
  EXPECT_FALSE(third[0].ready);
  cache.release(b, 0, third);
}

// Two variables of support vector regression share a point.
TEST(RowCache, TheSamePointTwice) {
  RowCache cache(10, {kLength}, 4 * kSlot);
  EXPECT_EQ(use(cache, {1, 1}), Numbers{});
  EXPECT_EQ(use(cache, {1, 2, 1}), (Numbers{1, 1}));
  EXPECT_EQ(use(cache, {3, 4, 5}), Numbers{});
  EXPECT_EQ(use(cache, {1, 2, 3, 4, 5}).size(), 4u) << "1 and 2 were not lent for ever";
}

TEST(RowCache, SegmentsAreApart) {
  RowCache cache(10, {kLength, 2 * kLength}, 6 * kSlot);
  EXPECT_EQ(use(cache, {0, 1}), Numbers{});
  EXPECT_EQ(use(cache, {0, 1}, true, 1), Numbers{});
  EXPECT_EQ(use(cache, {0, 1}), (Numbers{0, 1}));
  EXPECT_EQ(use(cache, {1, 0}, true, 1), (Numbers{1, 0}));
  EXPECT_LE(cache.bytes(), 6 * kSlot);
  // Room is only made in the own segment.
  EXPECT_EQ(use(cache, {2}, true, 1), Numbers{});
  EXPECT_EQ(use(cache, {0, 1}), (Numbers{0, 1}));
}

TEST(RowCache, WithoutRoomNothingIsKept) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, kSlot - 1}) {
    RowCache cache(10, {kLength}, bytes);
    EXPECT_EQ(use(cache, {0, 1}), Numbers{});
    EXPECT_EQ(use(cache, {0, 1}), Numbers{});
    EXPECT_EQ(cache.bytes(), 0u);
  }
}

TEST(RowCache, MemoryIsCountedAsItIsAsked) {
  const Index length = Index{5} << 20;  // 20 MB: a slot and a half in a chunk
  const std::size_t slot = sizeof(float) * at(length);
  RowCache cache(10, {length}, 3 * slot + slot / 2);
  std::vector<RowCache::Lease> leases;
  const Numbers all{0, 1, 2, 3, 4};
  cache.acquire(all, 0, true, leases);
  EXPECT_EQ(std::count_if(leases.begin(), leases.end(), [](const auto& l) { return l.data != nullptr; }), 3);
  EXPECT_LE(cache.bytes(), 3 * slot + slot / 2);
  cache.release(all, 0, leases);
}

}  // namespace
}  // namespace mercer::row_cache_test
