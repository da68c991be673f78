// Checkpoints of several fits in those of the whole.
#include "model/fits_in_order.hpp"

#include <gtest/gtest.h>

namespace mercer::fits_in_order_test {
namespace {

using detail::FitsInOrder;

class InMemory final : public Checkpoints {
 public:
  explicit InMemory(Vector begun = {}) : kept(std::move(begun)) {}
  Vector last() const override { return kept; }
  bool due() const override { return true; }
  void keep(const Vector& state) override { kept = state; }
  void done(const Vector& state) override { kept = state; }
  Vector kept;
};

// A fit that is done stands as it was at its end and not as it was kept on the way, beside one that has begun.
TEST(FitsInOrder, GoOnWhereEachOfThemWas) {
  const auto first = std::make_shared<InMemory>();
  FitsInOrder fits(first);
  const auto one = fits.next();
  EXPECT_TRUE(one->last().empty());
  one->keep({1, 2});
  one->done({3, 4, 5});
  fits.next()->keep({6});

  const auto second = std::make_shared<InMemory>(first->kept);
  FitsInOrder resumed(second);
  const auto again = resumed.next();
  EXPECT_EQ(again->last(), (Vector{3, 4, 5}));
  again->done(again->last());
  EXPECT_EQ(resumed.next()->last(), Vector{6});
  EXPECT_EQ(second->kept, first->kept);
}

TEST(FitsInOrder, WhatComesAfterOneThatWasStoppedIsNotKept) {
  FitsInOrder fits(std::make_shared<InMemory>());
  fits.next()->keep({1});
  EXPECT_EQ(fits.next(), nullptr);
  EXPECT_EQ(FitsInOrder(nullptr).next(), nullptr);
}

}  // namespace
}  // namespace mercer::fits_in_order_test
