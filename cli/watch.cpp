#include "watch.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>

#include "distributed/ranks.hpp"
#include "io/unfinished.hpp"
#include "mercer/error.hpp"
#include "output.hpp"

namespace mercer::cli {

namespace {

volatile sig_atomic_t stop_asked = 0;

// Only what a signal handler may call, here and in the next.
void stop_at_once(int) {
  detail::remove_unfinished_files();
  for (const std::string_view part : {std::string_view("mercer: "), kStopped, std::string_view("\n")}) {
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  }
  ::_exit(1);
}

void on_signals(void (*handler)(int)) {
  ::signal(SIGINT, handler);
  ::signal(SIGTERM, handler);
}

// Asked a second time, waits no longer: the code that shells give to a command that a signal has ended.
void stop_now(int signal) {
  detail::remove_unfinished_files();
  ::_exit(128 + signal);
}

void ask_to_stop(int) {
  stop_asked = 1;
  on_signals(stop_now);
}

// Work that is done sooner needs no bar, and says what there is to say at its end.
constexpr double kPatience = 0.5;
constexpr int kBarWidth = 40;
// Below, the time that is left is anyone's guess.
constexpr double kTelling = 0.02;

std::string time_left(double seconds) {
  if (seconds < 60) return fmt::format("  {:.0f} s left", std::ceil(seconds));
  if (seconds < 3600) return fmt::format("  {:.0f} min left", std::ceil(seconds / 60));
  return fmt::format("  {:.1f} h left", seconds / 3600);
}

}  // namespace

Watch::Watch() : on_terminal_(::isatty(STDERR_FILENO) == 1 && distributed::speaks()) {
  stop_asked = 0;
  on_signals(stop_at_once);
}

Watch::~Watch() {
  clear_bar();
  on_signals(SIG_DFL);
}

void Watch::gently() { on_signals(ask_to_stop); }

Monitor Watch::monitor() {
  return Monitor([this](const Progress& progress) {
    if (progress.stage == "read") {
      gently();
    } else if (since_start_.seconds() > kPatience) {
      say_announced();
      if (on_terminal_) draw(progress);
    }
    return stop_asked == 0 || !distributed::may_be_stopped();
  });
}

void Watch::stop_if_asked() const {
  if (stop_asked != 0 && distributed::may_be_stopped()) throw Error(ErrorKind::cancelled, "stopped");
}

void Watch::go_on() { stop_asked = 0; }

void Watch::announce(std::vector<std::string> lines) { announced_ = std::move(lines); }

void Watch::say_announced() {
  if (announced_.empty()) return;
  clear_bar();
  for (const std::string& line : std::exchange(announced_, {})) say(line);
}

void Watch::draw(const Progress& progress) {
  const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
  // A stage that begins again is a new one.
  if (progress.stage != stage_ || fraction < last_fraction_) {
    stage_ = progress.stage;
    since_stage_ = {};
  }
  last_fraction_ = fraction;
  const double elapsed = since_stage_.seconds();
  const bool telling = elapsed > kPatience && fraction > kTelling && fraction < 1;
  const std::string left = telling ? time_left(elapsed * (1 - fraction) / fraction) : "";
  const int done = static_cast<int>(kBarWidth * fraction);
  std::cerr << fmt::format("\r{} [{:#<{}}{:{}}] {:3.0f}%{}\033[K", progress.stage, "", done, "", kBarWidth - done,
                           100 * fraction, left)
            << std::flush;
  drawn_ = true;
}

void Watch::done() {
  clear_bar();
  on_signals(stop_at_once);
}

void Watch::clear_bar() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
  drawn_ = false;
}

}  // namespace mercer::cli
