#include "base/pool.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

#include "base/once.hpp"
#include "base/parallel.hpp"

namespace mercer::pool_test {
namespace {

using namespace std::chrono_literals;

void nothing() {}

// False when it does not become true within half a minute.
bool becomes(const std::atomic<bool>& flag) {
  for (int i = 0; i < 30'000 && !flag; ++i) std::this_thread::sleep_for(1ms);
  return flag;
}

Index sum_of_squares(Index count, int threads) {
  std::vector<Index> squares(static_cast<std::size_t>(count));
  run_pieces(
      count, threads, [&](Index i, int) { squares[static_cast<std::size_t>(i)] = i * i; }, nothing);
  return std::accumulate(squares.begin(), squares.end(), Index{0});
}

constexpr Index kSum = 332'833'500;  // of the squares below 1,000

TEST(Pool, LoopEndsWithoutThreadsThatDoNotCome) {
  // One loop holds the worker and its own caller; another must end meanwhile.
  std::atomic<bool> release = false, held = false;
  auto other = std::async(std::launch::async, [&] {
    run_pieces(
        2, 2,
        [&](Index, int thread) {
          if (thread == 1) held = true;
          becomes(release);
        },
        nothing);
  });
  EXPECT_TRUE(becomes(held));
  EXPECT_EQ(sum_of_squares(1000, 2), kSum);
  EXPECT_FALSE(release);
  release = true;
  other.get();
}

TEST(Pool, CallerLooksUpWhileItWaits) {
  std::atomic<bool> taken = false, looked = false;
  const auto caller = std::this_thread::get_id();
  run_pieces(
      2, 2,
      [&](Index, int thread) {
        if (thread == 0) {
          becomes(taken);  // so that the other has the other piece
        } else {
          taken = true;
          EXPECT_TRUE(becomes(looked));
        }
      },
      [&] {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        looked = true;
      });
  EXPECT_TRUE(looked);
}

TEST(Pool, LoopsWithinLoopsEnd) {
  std::atomic<Index> sum = 0;
  run_pieces(
      8, 3,
      [&](Index, int) {
        run_pieces(
            8, 3, [&](Index, int) { sum += sum_of_squares(1000, 3); }, nothing);
      },
      nothing);
  EXPECT_EQ(sum, 64 * kSum);
}

TEST(Pool, ManyCallersShareIt) {
  std::vector<std::future<Index>> sums;
  for (int caller = 0; caller < 8; ++caller) {
    sums.push_back(std::async(std::launch::async, [] {
      Index sum = 0;
      for (int i = 0; i < 200; ++i) sum += sum_of_squares(1000, 4);
      return sum;
    }));
  }
  for (auto& sum : sums) EXPECT_EQ(sum.get(), 200 * kSum);
}

TEST(Pool, ThreadsHaveNumbersOfTheirOwn) {
  std::vector<std::atomic<int>> inside(4);
  std::atomic<bool> shared = false;
  run_pieces(
      10'000, 4,
      [&](Index, int thread) {
        auto& here = inside.at(static_cast<std::size_t>(thread));
        if (++here != 1) shared = true;
        --here;
      },
      nothing);
  EXPECT_FALSE(shared);
}

TEST(Pool, ForkedChildWorks) {
  EXPECT_EQ(sum_of_squares(1000, 3), kSum);  // the parent has threads
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    if (sum_of_squares(1000, 3) != kSum) ::_exit(1);
    // With threads of its own: each of two pieces goes on when the other has begun.
    std::atomic<bool> begun[2] = {false, false};
    std::atomic<bool> together = true;
    run_pieces(
        2, 2,
        [&](Index i, int) {
          begun[i] = true;
          if (!becomes(begun[1 - i])) together = false;
        },
        nothing);
    ::_exit(together ? 0 : 2);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Pool, IdleThreadsSleep) {
  EXPECT_EQ(sum_of_squares(1000, 4), kSum);
  const auto used = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  std::this_thread::sleep_for(2ms);
  const double before = used();
  std::this_thread::sleep_for(200ms);
  EXPECT_LT(used() - before, 0.02);
}

TEST(Pool, SignalsAreLeftToTheProgram) {
  std::atomic<bool> taken = false, blocked = false;
  run_pieces(
      2, 2,
      [&](Index, int thread) {
        if (thread == 0) {
          becomes(taken);
          return;
        }
        sigset_t mask;
        pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        blocked = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGSEGV) == 0;
        taken = true;
      },
      nothing);
  EXPECT_TRUE(blocked);
}

// Within a loop on several threads a piece is told one thread, and a loop of one piece gives it all.
TEST(Pool, PiecesKnowHowManyThreadsTheyHave) {
  std::atomic<int> most = 0;
  parallel_for(8, 2, {}, "test", [&](Index, int) { most = std::max(most.load(), thread_count(4)); });
  EXPECT_EQ(most, 1);
  parallel_for(1, 3, {}, "test", [&](Index, int) { most = thread_count(0); });
  EXPECT_EQ(most, 3);
}

TEST(Once, ByOneOfManyWhileTheOthersWait) {
  for (int round = 0; round < 50; ++round) {
    Once once;
    int value = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        once([&] { ++value; });
        EXPECT_EQ(value, 1);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(Once, WhatThrowsIsTriedAgain) {
  Once once;
  int tries = 0;
  const auto work = [&] {
    if (++tries < 3) throw tries;
  };
  EXPECT_THROW(once(work), int);
  EXPECT_THROW(once(work), int);
  for (int i = 0; i < 3; ++i) once(work);
  EXPECT_EQ(tries, 3);
}

}  // namespace
}  // namespace mercer::pool_test
