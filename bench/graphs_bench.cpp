// Gram matrices between graphs: prints one JSON line with the best time of some rounds, reading the folder left out.
//     mercer_graphs_bench FOLDER KERNEL [ROUNDS [K.npy]]
// A round makes everything anew: features, spectra, the matrix. bench/graphs.py runs the cases beside GraKeL.
#include <cstdio>
#include <string>

#include "base/json.hpp"
#include "mercer/mercer.hpp"
#include "timing.hpp"

int main(int argc, char** argv) try {
  using namespace mercer;
  if (argc < 3) {
    std::fputs("usage: mercer_graphs_bench FOLDER KERNEL [ROUNDS [K.npy]]\n", stderr);
    return 2;
  }
  const Kernel k = parse(argv[2]);
  double best = 1e300, reading = 1e300;
  Matrix K;
  for (int round = 0; round < (argc > 3 ? std::stoi(argv[3]) : 3); ++round) {
    K = Matrix();
    Dataset data{.points = rows(Matrix())};
    reading = std::min(reading, bench::seconds([&] { data = read_data(argv[1]); }));
    best = std::min(best, bench::seconds([&] { K = gram(k, data.points); }));
  }
  if (argc > 4) write_npy(argv[4], K);
  const Json out = {{"graphs", K.rows()}, {"seconds", best}, {"reading", reading}};
  std::puts(out.dump().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
