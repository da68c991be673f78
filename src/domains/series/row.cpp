#include "domains/series/row.hpp"

#include "kernel/rows.hpp"

namespace mercer::detail {

using namespace row;

DomainRow series_domain() {
  return {.kind = "series", .kernels = series_kernels, .loads = {{"series", load_series}}, .sample = sample_series};
}

// clang-format off
std::vector<Entry> series_kernels() {
  return {
      {"gak", axiom, "series", {positive_or_auto("sigma", 1, "0.6 of the median distance of steps times the root of the median length"), whole("band", 0, 0, 1 << 30)},
       "sum over alignments of x and y of prod w/(2-w), w = exp(-|x_i-y_j|^2/(2 sigma^2)) max(0, 1-|i-j|/band); band 0: without the last factor",
       "sigma > 0; band a whole number >= 0; rows of as many columns, series of any length from 1",
       "w is a product of kernels on values and on places, and the local kernel l = w/(2-w) has l/(1+l) = w/2, again a kernel: then sums over alignments are kernels",
       "Cuturi, Vert, Birkenes & Matsui 2007; Cuturi 2011", "gak(sigma=1)", emit_gak, nullptr,
       Heuristic::none, nullptr, nullptr, nullptr, typical_sigma},
  };
}
// clang-format on

}  // namespace mercer::detail
