#include "base/stages.hpp"

namespace mercer {

namespace {

thread_local StageClock* running = nullptr;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

StageClock::StageClock(std::string_view first)
    : outer_(running), entries_{{std::string(first)}}, since_(std::chrono::steady_clock::now()) {
  running = this;
}

StageClock::~StageClock() { running = outer_; }

std::vector<StageClock::Entry> StageClock::seconds() const {
  std::vector<Entry> out = entries_;
  out[now_].seconds += seconds_between(since_, std::chrono::steady_clock::now());
  return out;
}

std::size_t StageClock::number_of(std::string_view name) {
  for (std::size_t s = 0; s < entries_.size(); ++s) {
    if (entries_[s].name == name) return s;
  }
  entries_.push_back({std::string(name)});
  return entries_.size() - 1;
}

std::size_t StageClock::enter(std::size_t stage) {
  const Time time = std::chrono::steady_clock::now();
  entries_[now_].seconds += seconds_between(since_, time);
  since_ = time;
  const std::size_t before = now_;
  now_ = stage;
  return before;
}

Stage::Stage(std::string_view name) : clock_(running) {
  if (clock_ != nullptr) before_ = clock_->enter(clock_->number_of(name));
}

Stage::~Stage() {
  if (clock_ != nullptr) clock_->enter(before_);
}

}  // namespace mercer
