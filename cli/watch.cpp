#include "watch.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "mercer/error.hpp"

namespace mercer::cli {

namespace {

volatile sig_atomic_t asked_to_stop = 0;

// Only what a signal handler may call.
void stop_at_once(int) {
  for (const std::string_view part : {std::string_view("mercer: "), kStopped, std::string_view("\n")}) {
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  }
  ::_exit(1);
}

void on_signals(void (*handler)(int)) {
  ::signal(SIGINT, handler);
  ::signal(SIGTERM, handler);
}

// Asked a second time, waits no longer.
void ask_to_stop(int) {
  asked_to_stop = 1;
  on_signals(stop_at_once);
}

// Work that is done sooner needs no bar.
constexpr double kPatience = 0.5;
constexpr int kBarWidth = 40;

}  // namespace

Watch::Watch() : on_terminal_(::isatty(STDERR_FILENO) == 1) {
  asked_to_stop = 0;
  on_signals(stop_at_once);
}

Watch::~Watch() {
  clear_bar();
  on_signals(SIG_DFL);
}

void Watch::gently() { on_signals(ask_to_stop); }

Monitor Watch::monitor() {
  return Monitor([this](const Progress& progress) {
    if (on_terminal_ && since_start_.seconds() > kPatience) draw(progress);
    return asked_to_stop == 0;
  });
}

void Watch::stop_if_asked() const {
  if (asked_to_stop != 0) throw Error(ErrorKind::cancelled, "stopped");
}

void Watch::draw(const Progress& progress) {
  const int done = static_cast<int>(kBarWidth * std::clamp(progress.fraction, 0.0, 1.0));
  std::cerr << fmt::format("\r{} [{:#<{}}{:{}}] {:3.0f}%", progress.stage, "", done, "", kBarWidth - done,
                           100 * progress.fraction)
            << std::flush;
  drawn_ = true;
}

void Watch::clear_bar() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
  drawn_ = false;
}

}  // namespace mercer::cli
