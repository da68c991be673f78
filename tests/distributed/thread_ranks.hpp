// Ranks that are threads of this process: the code of several processes without any.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "base/parallel.hpp"
#include "distributed/ranks.hpp"

namespace mercer::distributed_test {

// What the threads have for each other. Who waits for longer than a minute, or for one that is gone, throws.
class Board {
 public:
  explicit Board(int size) : size_(size) {}

  int size() const { return size_; }
  // What all have put there, when all have.
  std::vector<std::vector<std::string>> meet(int rank, std::vector<std::string> own) {
    std::unique_lock lock(mutex_);
    here_.resize(static_cast<std::size_t>(size_));
    here_[static_cast<std::size_t>(rank)] = std::move(own);
    const int round = round_;
    if (++arrived_ == size_) {
      last_ = std::exchange(here_, {});
      arrived_ = 0;
      ++round_;
      all_.notify_all();
    } else if (!all_.wait_for(lock, std::chrono::minutes(1), [&] { return round_ != round || gone_; }) ||
               round_ == round) {
      throw std::runtime_error("a rank waits for another that does not come");
    }
    return last_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    all_.notify_all();
  }

 private:
  int size_, arrived_ = 0, round_ = 0;
  bool gone_ = false;
  std::vector<std::vector<std::string>> here_, last_;
  std::mutex mutex_;
  std::condition_variable all_;
};

class ThreadRanks final : public distributed::Ranks {
 public:
  ThreadRanks(Board& board, int rank) : board_(board), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return board_.size(); }
  std::vector<std::string> gather(const std::string& own) override {
    std::vector<std::string> out;
    for (auto& one : board_.meet(rank_, {own})) out.push_back(std::move(one.front()));
    sent += own.size();
    return out;
  }
  std::vector<std::string> exchange(const std::vector<std::string>& to) override {
    std::vector<std::string> out;
    for (auto& one : board_.meet(rank_, to)) out.push_back(std::move(one[static_cast<std::size_t>(rank_)]));
    for (const std::string& one : to) sent += one.size();
    return out;
  }

  std::size_t sent = 0;  // bytes, to one other in gather()

 private:
  Board& board_;
  int rank_;
};

// What each rank made of `work(rank)`, or the Error that it threw.
struct Outcome {
  std::string made, error;
  std::size_t sent = 0;
};
inline std::vector<Outcome> on_ranks(int size, const std::function<std::string(int rank)>& work,
                                     Index kept = distributed::kKept) {
  Board board(size);
  std::vector<Outcome> out(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int r = 0; r < size; ++r) {
    threads.emplace_back([&, r] {
      const Threads one(1 + r % 2);  // ranks need not have as many threads as others
      ThreadRanks ranks(board, r);
      Outcome& own = out[static_cast<std::size_t>(r)];
      try {
        const distributed::Among among(ranks, kept);
        distributed::together([&] {
          own.made = work(r);
          return 0;
        });
      } catch (const std::exception& error) {
        own.made.clear();
        own.error = error.what();
      }
      own.sent = ranks.sent;
      board.leave();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return out;
}

}  // namespace mercer::distributed_test
