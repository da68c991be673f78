// Running a vector loop on each instruction set that this CPU has, the best one first.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <functional>

#include "simd/target.hpp"

namespace mercer::test {

inline void for_each_target(const std::function<void()>& body) {
  simd::target();  // has its say, from MERCER_SIMD, before ours
  // Bits rise from the best set to the plainest: without its lowest bit, the mask is that of a lesser CPU.
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    SCOPED_TRACE(hwy::TargetName(targets & -targets));
    hwy::GetChosenTarget().Update(targets);
    body();
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace mercer::test
