// What a loop on all cores costs beyond its work: our pool beside oneTBB and OpenMP, quiet and beside busy loops.
#include <omp.h>
#include <sys/wait.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/cpus.hpp"
#include "base/parallel.hpp"
#include "bench.hpp"

namespace mercer::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Body = std::function<void(Index)>;
using Loop = std::function<void(Index, const Body&)>;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Work that takes so many microseconds of processor time, whatever else runs.
void work(double microseconds) {
  static const double rounds_per_us = [] {
    const auto start = Clock::now();
    volatile double x = 0;
    for (int i = 0; i < 2'000'000; ++i) x = x + 1;
    return 2 / seconds_since(start);
  }();
  volatile double x = 0;
  for (double i = 0; i < microseconds * rounds_per_us; ++i) x = x + 1;
}

class BusyLoops {
 public:
  explicit BusyLoops(int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        for (volatile int x = 0;;) x = x + 1;
      }
      children_.push_back(child);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  ~BusyLoops() {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }

 private:
  std::vector<pid_t> children_;
};

struct Work {
  const char* name;
  Index pieces;
  double microseconds;  // each
  int pause;            // microseconds of serial work between two loops
};

// Seconds of many loops, the median of five; what the work alone takes is known.
double measure(const Loop& loop, const Work& c, int rounds) {
  std::vector<double> times;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = Clock::now();
    for (int i = 0; i < rounds; ++i) {
      loop(c.pieces, [&](Index) { work(c.microseconds); });
      work(c.pause);
    }
    times.push_back(seconds_since(start) / rounds);
  }
  std::sort(times.begin(), times.end());
  return times[2];
}

Json loops_case(const Words&) {
  const int threads = usable_cpus();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  const std::vector<std::pair<std::string, Loop>> loops = {
      {"one thread",
       [](Index n, const Body& body) {
         for (Index i = 0; i < n; ++i) body(i);
       }},
      {"our pool",
       [&](Index n, const Body& body) { parallel_for(n, threads, {}, "bench", [&](Index i, int) { body(i); }); }},
      {"oneTBB", [](Index n, const Body& body) { tbb::parallel_for(Index{0}, n, body, tbb::simple_partitioner{}); }},
      {"OpenMP",
       [&](Index n, const Body& body) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
         for (Index i = 0; i < n; ++i) body(i);
       }},
  };
  const Work works[] = {{"2 pieces of 1 us", 2, 1, 0},
                        {"16 pieces of 10 us", 16, 10, 0},
                        {"16 pieces of 10 us, 200 us between", 16, 10, 200},
                        {"16 pieces of 100 us", 16, 100, 0},
                        {"16 pieces of 100 us, 1 ms between", 16, 100, 1000}};
  Json loops_of = Json::array();
  for (const int busy : {0, threads}) {
    const BusyLoops neighbours(busy);
    for (const Work& c : works) {
      const int rounds =
          std::max(20, static_cast<int>(2e4 / (static_cast<double>(c.pieces) * c.microseconds + c.pause)));
      Json microseconds;
      for (const auto& [name, loop] : loops) microseconds[name] = 1e6 * measure(loop, c, rounds);
      loops_of.push_back({{"busy_loops", busy}, {"work", c.name}, {"microseconds", microseconds}});
    }
  }
  return {{"loops", loops_of}};
}

}  // namespace

Bench pool_bench() {
  return {"pool",
          "what a loop on all cores costs beyond its work, beside oneTBB and OpenMP",
          {{"loops", "", "quiet, and beside busy loops", loops_case}}};
}

}  // namespace mercer::bench
