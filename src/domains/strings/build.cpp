#include "kernel/build.hpp"

#include "mercer/kernels.hpp"

namespace mercer {

using detail::axiom;
using detail::param;

namespace {
double whole(int number) { return static_cast<double>(number); }
}  // namespace

Kernel spectrum(int k, const std::string& alphabet) {
  return axiom("spectrum", {}, {whole(k), alphabet, std::string("no")});
}
Kernel substrings(int min, int max, double decay, const std::string& alphabet) {
  return axiom("substrings", {param("substrings", "decay", decay)}, {whole(min), whole(max), alphabet});
}
Kernel subsequence(int length, double decay, const std::string& kind, const std::string& alphabet) {
  return axiom("subsequence", {param("subsequence", "decay", decay)}, {whole(length), kind, alphabet});
}
Kernel gapped(int g, int k, const std::string& alphabet) {
  return axiom("gapped", {}, {whole(g), whole(k), alphabet, std::string("no")});
}
Kernel mismatch(int k, int m, const std::string& alphabet) {
  return axiom("mismatch", {}, {whole(k), whole(m), alphabet});
}
Kernel weighted_degree(int d, const std::string& alphabet) {
  return axiom("weighted_degree", {}, {whole(d), alphabet});
}

}  // namespace mercer
