// Where the time goes: every moment of a thread's work belongs to one stage.
//
//     StageClock clock("solve");           // from here on, this thread's time is counted
//     { const Stage stage("rows"); ... }   // and in here as "rows"
//     clock.seconds();                     // {{"solve", 0.2}, {"rows", 1.3}}: together all the time since the clock
//     began
//
// A clock sees what its own thread does, waiting for others included. A clock within a clock takes over until it ends:
// the outer one counts all that as one stage. Without a clock a Stage costs nothing. Both end in the order of their
// blocks, on the thread they began on.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

class StageClock {
 public:
  struct Entry {
    std::string name;
    double seconds = 0;
  };

  explicit StageClock(std::string_view first);
  ~StageClock();
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;

  // Until now, in the order in which the stages were first entered.
  std::vector<Entry> seconds() const;

 private:
  friend class Stage;
  using Time = std::chrono::steady_clock::time_point;

  std::size_t enter(std::size_t stage);  // returns the one before
  std::size_t number_of(std::string_view name);

  StageClock* outer_;
  std::vector<Entry> entries_;
  std::size_t now_ = 0;
  Time since_;
};

class Stage {
 public:
  explicit Stage(std::string_view name);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  StageClock* clock_;
  std::size_t before_ = 0;
};

// A stage that counts as its own what is marked within it.
class WholeStage {
 public:
  explicit WholeStage(std::string_view name) : stage_(name), inside_(name) {}

 private:
  Stage stage_;
  StageClock inside_;
};

}  // namespace mercer
