// Gram matrices between graphs: the best time of some rounds, reading the folder left out. A round makes everything
// anew: features, spectra, the matrix. bench/graphs.py runs the cases beside GraKeL.
#include <algorithm>
#include <string>

#include "bench.hpp"
#include "mercer/mercer.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

Json gram_case(const Words& words) {
  const std::string& folder = words.at(0);
  const Kernel k = parse(words.at(1));
  const int rounds = words.size() > 2 ? std::stoi(words[2]) : 3;
  double best = 1e300, reading = 1e300;
  Matrix K;
  for (int round = 0; round < rounds; ++round) {
    K = Matrix();
    Dataset data{.points = rows(Matrix())};
    reading = std::min(reading, seconds([&] { data = read_data(folder); }));
    best = std::min(best, seconds([&] { K = gram(k, data.points); }));
  }
  if (words.size() > 3) write_npy(words[3], K);
  return {{"graphs", K.rows()}, {"seconds", best}, {"reading", reading}};
}

}  // namespace

Bench graphs_bench() {
  return {"graphs", "Gram matrices between graphs", {{"gram", "FOLDER KERNEL [ROUNDS [K.npy]]", "", gram_case}}};
}

}  // namespace mercer::bench
