#include "points/cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace mercer::cache_test {
namespace {

struct Block {
  int number;
  std::size_t size;
  std::size_t bytes() const { return size; }
};

TEST(Cache, MakesOnceAndMayAskForMoreMeanwhile) {
  Cache cache;
  int made = 0;
  const auto inner = [&] { return cache.get<int>("inner", [&] { return ++made; }); };
  const auto outer = [&] { return cache.get<int>("outer", [&] { return 10 * *inner(); }); };
  EXPECT_EQ(*outer(), 10);
  EXPECT_EQ(*outer(), 10);
  EXPECT_EQ(*inner(), 1);
  EXPECT_EQ(made, 1);
}

TEST(Cache, ForgetsWhatWasNotAskedForTheLongest) {
  Cache cache(100);
  int made = 0;
  const auto ask = [&](const std::string& key, std::size_t size) {
    return cache.get<Block>(key, [&] { return Block{++made, size}; });
  };
  const auto a = ask("a", 40);
  ask("b", 40);
  ask("a", 40);
  ask("c", 40);  // b goes
  EXPECT_EQ(cache.bytes(), 80u);
  EXPECT_EQ(ask("a", 40)->number, 1);
  EXPECT_EQ(ask("c", 40)->number, 3);
  EXPECT_EQ(ask("b", 40)->number, 4);  // made again; a goes, but who has it keeps it
  EXPECT_EQ(a->number, 1);
  EXPECT_LE(cache.bytes(), 100u);
  EXPECT_EQ(ask("large", 500)->number, 5);  // kept alone
  EXPECT_EQ(ask("large", 500)->number, 5);
  EXPECT_EQ(cache.bytes(), 500u);
}

TEST(Cache, AFailureIsNotKept) {
  Cache cache;
  EXPECT_THROW(cache.get<int>("x", []() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(*cache.get<int>("x", [] { return 3; }), 3);
}

TEST(Cache, ThreadsWaitForTheOneWhoMakes) {
  Cache cache(64);
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const auto value = cache.get<Block>(std::to_string(i), [&] { return Block{(++made, i), 8}; });
        EXPECT_EQ(value->number, i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(made.load(), 200);
  EXPECT_LE(cache.bytes(), 64u);
}

}  // namespace
}  // namespace mercer::cache_test
