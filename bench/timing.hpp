// What the benchmark programs share: time, memory, made-up numbers.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <random>
#include <string>

#include "mercer/matrix.hpp"

namespace mercer::bench {

inline Matrix random_matrix(Index rows, Index cols) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-1.7, 1.7);
  Matrix out(rows, cols);
  for (Index i = 0; i < rows * cols; ++i) out.data()[i] = uniform(engine);
  return out;
}

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Of all threads of this process: what others do on the machine hardly counts.
template <class Work>
double cpu_seconds(const Work& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// The best of `rounds` of each, taking turns, so that a slow moment of the machine hits both.
struct Pair {
  double ours = 1e300, peer = 1e300;
};
template <class Ours, class Peer, class Clock>
Pair best(int rounds, const Ours& ours, const Peer& peer, const Clock& clock) {
  Pair out;
  for (int r = 0; r < rounds; ++r) {
    out.ours = std::min(out.ours, clock(ours));
    out.peer = std::min(out.peer, clock(peer));
  }
  return out;
}
template <class Ours, class Peer>
Pair best(int rounds, const Ours& ours, const Peer& peer) {
  return best(rounds, ours, peer, [](const auto& work) { return seconds(work); });
}

// The most memory this process has held; getrusage would count its parent's as well.
inline double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

}  // namespace mercer::bench
