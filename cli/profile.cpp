#include "profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace mercer::cli {

namespace {

// In the order in which they come.
constexpr const char* kStages[] = {"read", "prepare", "choose", "rows", "gradient", "solve", "certificate", "write"};
// Those of every fit; the others are shown where they were.
constexpr std::string_view kAlways[] = {"read", "prepare", "rows", "solve", "certificate", "write"};

}  // namespace

Profile::Profile(const std::vector<StageClock::Entry>& whole, const Report& report) {
  for (const char* const name : kStages) stages_.push_back({name});
  for (const StageClock::Entry& stage : whole) {
    if (stage.name != "fit") {
      add(stage.name, stage.seconds);
      continue;
    }
    double rest = stage.seconds;
    for (const Report::Figure& part : report.stages) {
      add(part.name, part.value);
      rest -= part.value;
    }
    add("solve", rest);
  }
  std::erase_if(stages_, [](const StageClock::Entry& stage) {
    return stage.seconds == 0 && std::find(std::begin(kAlways), std::end(kAlways), stage.name) == std::end(kAlways);
  });
}

void Profile::add(const std::string& name, double seconds) {
  total_ += seconds;
  for (StageClock::Entry& stage : stages_) {
    if (stage.name != name) continue;
    stage.seconds += seconds;
    return;
  }
  stages_.push_back({name, seconds});
}

std::string Profile::str() const {
  std::string out = fmt::format("{:<12}{:>9}{:>8}\n", "stage", "seconds", "share");
  const auto line = [&](const std::string& name, double seconds) {
    out += fmt::format("{:<12}{:>9.3f}{:>7.1f}%\n", name, seconds, total_ > 0 ? 100 * seconds / total_ : 0);
  };
  for (const StageClock::Entry& stage : stages_) line(stage.name, stage.seconds);
  line("total", total_);
  return out;
}

Json Profile::json() const {
  Json out = Json::object();
  for (const StageClock::Entry& stage : stages_) out[stage.name] = stage.seconds;
  out["total"] = total_;
  return out;
}

}  // namespace mercer::cli
