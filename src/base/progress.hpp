// Telling a monitor how far work has come, often enough and not more often.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "mercer/monitor.hpp"

namespace mercer {

// For loops of many short steps: tells the monitor at every per cent and ten times a second.
//     Ticker tick(monitor, "eigen");
//     for (Index i = 0; i < n; ++i) { tick(share_done(i)); ... }
class Ticker {
 public:
  Ticker(const Monitor& monitor, std::string_view stage) : monitor_(monitor), stage_(stage) {}

  void operator()(double fraction) {
    if (!monitor_.listening()) return;
    const int percent = static_cast<int>(100 * fraction);
    const auto now = std::chrono::steady_clock::now();
    if (percent == percent_ && now - told_ < kSilence) return;
    percent_ = percent;
    told_ = now;
    monitor_.report({stage_, fraction});
  }

 private:
  static constexpr auto kSilence = std::chrono::milliseconds(100);

  const Monitor& monitor_;
  std::string_view stage_;
  int percent_ = -1;
  std::chrono::steady_clock::time_point told_ = {};
};

// A monitor for one part of some work: what it hears from 0 to 1 is, to the whole, from `begin` to `end` of `stage`.
// Lives no longer than the monitor it is made of.
inline Monitor part_of(const Monitor& whole, std::string_view stage, double begin, double end) {
  if (!whole.listening()) return {};
  return Monitor([&whole, stage, begin, end](const Progress& part) {
    whole.report({stage, begin + (end - begin) * part.fraction});
    return true;
  });
}

}  // namespace mercer
