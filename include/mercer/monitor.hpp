// mercer/monitor.hpp: progress out, cancellation in.
//
// Long calls take a `const Monitor&`. The default one is silent and never stops anything.
//     Monitor bar([](const Progress& p) { draw(p.stage, p.fraction); return !interrupted; });
//     Matrix K = gram(k, x, {.monitor = bar});
#pragma once

#include <functional>
#include <string_view>

namespace mercer {

struct Progress {
  std::string_view stage;  // what is being done: "gram", "solve"
  double fraction = 0;     // how much of the stage is done, 0 to 1
};

class Monitor {
 public:
  // Called from one thread at a time, at every per cent of a stage and ten times a second. Returning false cancels.
  using Callback = std::function<bool(const Progress&)>;

  Monitor() = default;
  explicit Monitor(Callback callback) : callback_(std::move(callback)) {}

  // Reports progress; throws Error(cancelled) when the callback says stop.
  void report(const Progress& progress) const;
  bool listening() const { return static_cast<bool>(callback_); }

 private:
  Callback callback_;
};

}  // namespace mercer
