// Watching long work: a bar on a terminal, and Ctrl-C.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/stopwatch.hpp"
#include "mercer/monitor.hpp"

namespace mercer::cli {

inline constexpr std::string_view kStopped = "stopped; no file was written";

// While it lives, Ctrl-C (SIGINT, and SIGTERM) stops the command with a message and exit code 1: at once at first, for
// a read may wait for ever, and when all is done(); from gently() on, or when the monitor hears that the data are read,
// by making the monitor and stop_if_asked() throw Error(cancelled), so that destructors remove what is half done; a
// second signal then ends the process at once. One at a time.
class Watch {
 public:
  Watch();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void gently();
  Monitor monitor();
  void stop_if_asked() const;
  // What was asked for is done and more is to come; asked once more, the command ends at once.
  void go_on();
  // Lines for those who wait: said when that takes more than a moment, or when say_announced() is called.
  void announce(std::vector<std::string> lines);
  void say_announced();
  // The work is done and its results are about to be written, for which a reader may have to come: the bar goes, and a
  // signal stops the command at once again. What is half written is removed.
  void done();

 private:
  void clear_bar();
  void draw(const Progress& progress);

  Stopwatch since_start_, since_stage_;
  std::string stage_;
  std::vector<std::string> announced_;
  double last_fraction_ = 0;
  bool on_terminal_;
  bool drawn_ = false;
};

}  // namespace mercer::cli
