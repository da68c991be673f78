// What a loop on all cores costs beyond its work: our pool beside oneTBB and OpenMP, quiet and beside busy loops.
#include <fmt/core.h>
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

namespace {

using Clock = std::chrono::steady_clock;
using Body = std::function<void(mercer::Index)>;
using Loop = std::function<void(mercer::Index, const Body&)>;

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

struct Case {
  const char* name;
  mercer::Index pieces;
  double microseconds;  // each
  int pause;            // microseconds of serial work between two loops
};

// Seconds of many loops, the median of five; what the work alone takes is known.
double measure(const Loop& loop, const Case& c, int rounds) {
  std::vector<double> times;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = Clock::now();
    for (int i = 0; i < rounds; ++i) {
      loop(c.pieces, [&](mercer::Index) { work(c.microseconds); });
      work(c.pause);
    }
    times.push_back(seconds_since(start) / rounds);
  }
  std::sort(times.begin(), times.end());
  return times[2];
}

}  // namespace

int main() {
  const int threads = mercer::usable_cpus();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  const std::vector<std::pair<std::string, Loop>> loops = {
      {"one thread",
       [](mercer::Index n, const Body& body) {
         for (mercer::Index i = 0; i < n; ++i) body(i);
       }},
      {"our pool",
       [&](mercer::Index n, const Body& body) {
         mercer::parallel_for(n, threads, {}, "bench", [&](mercer::Index i, int) { body(i); });
       }},
      {"oneTBB", [](mercer::Index n,
                    const Body& body) { tbb::parallel_for(mercer::Index{0}, n, body, tbb::simple_partitioner{}); }},
      {"OpenMP",
       [&](mercer::Index n, const Body& body) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
         for (mercer::Index i = 0; i < n; ++i) body(i);
       }},
  };
  const Case cases[] = {{"2 pieces of 1 us", 2, 1, 0},
                        {"16 pieces of 10 us", 16, 10, 0},
                        {"16 pieces of 10 us, 200 us between", 16, 10, 200},
                        {"16 pieces of 100 us", 16, 100, 0},
                        {"16 pieces of 100 us, 1 ms between", 16, 100, 1000}};
  for (const int busy : {0, threads}) {
    const BusyLoops neighbours(busy);
    fmt::print("{}\n", busy == 0 ? "quiet" : fmt::format("beside {} busy loops", busy));
    for (const Case& c : cases) {
      const int rounds =
          std::max(20, static_cast<int>(2e4 / (static_cast<double>(c.pieces) * c.microseconds + c.pause)));
      fmt::print("  {:36}", c.name);
      for (const auto& [name, loop] : loops) fmt::print("  {} {:8.1f} us", name, 1e6 * measure(loop, c, rounds));
      fmt::print("\n");
    }
  }
}
