// mercer_bench NAME CASE WORD...: times one case of a bench and prints one JSON line. bench/run.py brings the data and
// runs the peers; where a peer is a call from C or C++, both sides are timed here, turn by turn.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "bench.hpp"
#include "mercer/io.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"
#include "simd/target.hpp"

namespace mercer::bench {

Matrix numbers(const std::string& path) { return Matrix(dense_rows(read_data(path).points).values); }

Vector column(const std::string& path) {
  const Matrix m = numbers(path);
  return Vector(m.data(), m.data() + m.rows() * m.cols());
}

namespace {

const std::vector<Bench>& benches() {
  static const std::vector<Bench> rows = {engine_bench(),  machines_bench(), gp_bench(),    svm_bench(),
                                          strings_bench(), graphs_bench(),   nodes_bench(), clusters_bench(),
                                          pool_bench(),    solvers_bench(),  large_bench()};
  return rows;
}

void list() {
  for (const Bench& bench : benches()) {
    fmt::print("{}: {}\n", bench.name, bench.what);
    for (const Case& one : bench.cases) {
      const std::string words = bench.name + " " + one.name + (one.takes.empty() ? "" : " ") + one.takes;
      fmt::print("    mercer_bench {}\n{}", words, one.what.empty() ? "" : fmt::format("        {}\n", one.what));
    }
  }
}

int run(const Words& words) {
  if (words == Words{"--list"}) {
    list();
    return 0;
  }
  for (const Bench& bench : benches()) {
    for (const Case& one : bench.cases) {
      if (words.size() < 2 || words[0] != bench.name || words[1] != one.name) continue;
      Json out = one.run({words.begin() + 2, words.end()});
      out["target"] = std::string(simd::target().name);
      fmt::print("{}\n", out.dump());
      return 0;
    }
  }
  fmt::print(stderr,
             "mercer_bench: give a bench, one of its cases and the words of that; mercer_bench --list shows all\n");
  return 2;
}

}  // namespace
}  // namespace mercer::bench

int main(int count, char** words) {
  try {
    return mercer::bench::run({words + 1, words + count});
  } catch (const std::out_of_range&) {
    fmt::print(stderr, "mercer_bench: a word is missing; mercer_bench --list shows those of every case\n");
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mercer_bench: {}\n", error.what());
    return 1;
  }
}
