// Progress out of long calls, Ctrl-C and callbacks into them.
#pragma once

#include <chrono>
#include <optional>
#include <thread>

#include "convert.hpp"

namespace mercer::python {

// For one call that runs without the GIL: a Monitor that looks for signals ten times a second and tells `callback`, if
// there is one, the stage and the fraction done; a callback that returns False stops the call.
// What Python raised, KeyboardInterrupt or an error of the callback, is raised again by rethrow(), after the call;
// until there Raised ends the call at once: a machine that is merely stopped first makes a model of what it has.
struct Raised : std::exception {};

class Watcher {
 public:
  explicit Watcher(py::object callback) : callback_(std::move(callback)) {}
  Monitor monitor();
  // With the GIL held. Also when the machine took the wish to stop as an end and returned a model.
  void rethrow();
  bool stopped() const { return stopped_; }  // by the callback

 private:
  bool look(const Progress& progress);

  py::object callback_;
  std::optional<py::error_already_set> raised_;
  bool stopped_ = false;
  // Python looks for signals on its main thread only, so other threads' reports do not count as a look.
  const std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Runs without the GIL, so that other Python threads go on, and Ctrl-C and the callback are heard. A callback may stop
// a machine that has nothing to return yet: a RuntimeError, for KeyboardInterrupt would be somebody else's word.
template <class Call>
auto released(const py::object& callback, Call call, int threads = 0) {
  Watcher watcher(callback);
  Execution how{.threads = threads, .monitor = watcher.monitor()};
  try {
    auto result = [&] {
      const py::gil_scoped_release release;
      return call(how);
    }();
    watcher.rethrow();
    return result;
  } catch (const Error& error) {
    watcher.rethrow();
    if (error.kind() != ErrorKind::cancelled || !watcher.stopped()) throw;
    throw std::runtime_error("the callback stopped the computation before there was anything to return");
  } catch (const Raised&) {
    watcher.rethrow();
    throw;
  }
}

}  // namespace mercer::python
