#include "simd/target.hpp"

#include <hwy/targets.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer::simd {

namespace {

struct Set {
  const char* word;  // in MERCER_SIMD
  const char* name;
  std::int64_t bit;  // of Highway's masks, which rise from the best set to the plainest
};

constexpr Set kSets[] = {
#if HWY_ARCH_X86
    {"avx512", "AVX-512", HWY_AVX3},
    {"avx2", "AVX2", HWY_AVX2},
#endif
#if HWY_ARCH_ARM
    {"neon", "NEON", HWY_NEON},
#endif
    {"scalar", "scalar", HWY_EMU128},
};

std::string words() {
  std::string out;
  for (const Set& set : kSets) {
    if ((set.bit & hwy::SupportedTargets()) != 0) out += (out.empty() ? "" : ", ") + std::string(set.word);
  }
  return out;
}

Target choose() {
  const char* asked = std::getenv("MERCER_SIMD");
  const std::int64_t supported = hwy::SupportedTargets();
  const bool forced = asked != nullptr && *asked != '\0';
  for (const Set& set : kSets) {
    if (forced ? set.word != std::string_view(asked) : (set.bit & supported) == 0) continue;
    if ((set.bit & supported) == 0) {
      fail(ErrorKind::usage, "MERCER_SIMD is \"{}\", which this CPU does not have; it has {}", asked, words());
    }
    if (forced) hwy::DisableTargets(set.bit - 1);
    return {set.name, forced};
  }
  if (!forced) return {hwy::TargetName(supported & -supported), false};
  fail(ErrorKind::usage, "MERCER_SIMD is {}; set it to one of {}, or leave it away for the best of them", quoted(asked),
       words());
}

}  // namespace

const Target& target() {
  static const Target chosen = choose();
  return chosen;
}

}  // namespace mercer::simd
