#include "domains/strings/row.hpp"

#include "base/random.hpp"
#include "kernel/leaves.hpp"
#include "kernel/rows.hpp"

namespace mercer::detail {

using namespace row;

DomainRow strings_domain() {
  return {.kind = "strings", .kernels = string_kernels, .loads = {{"strings", load_strings}}, .sample = sample_strings};
}

// clang-format off
std::vector<Entry> string_kernels() {
  return {
      featured({"spectrum", axiom, "strings", {whole("k", 3, 1, 1 << 20)}, "sum_s count_s(x) count_s(y) over substrings s of k bytes",
       "k a whole number >= 1", "the inner product of counts of contiguous substrings", "Leslie, Eskin & Noble 2002",
       "spectrum(k=3)", emit_inner_product}, spectrum_features),
  };
}
// clang-format on

// Words of few letters, so that they share substrings; one of them is empty, one comes twice.
Points sample_strings(Index count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::string> words(static_cast<std::size_t>(count));
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Index length = 1 + random.below(12);
    for (Index p = 0; p < length; ++p) words[i] += "ACGT"[random.below(4)];
  }
  if (words.size() > 3) words.back() = words[1];
  return strings(std::move(words));
}

}  // namespace mercer::detail
