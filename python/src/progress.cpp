#include "progress.hpp"

namespace mercer::python {

namespace {
constexpr auto kInterval = std::chrono::milliseconds(100);
}

Monitor Watcher::monitor() {
  return Monitor([this](const Progress& progress) { return look(progress); });
}

bool Watcher::look(const Progress& progress) {
  if (stopped_) return false;
  if (std::this_thread::get_id() != caller_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kInterval) return true;
  last_ = now;
  const py::gil_scoped_acquire gil;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!callback_.is_none()) {
      const py::object answer = callback_(std::string(progress.stage), progress.fraction);
      stopped_ = answer.ptr() == Py_False;
    }
  } catch (py::error_already_set& error) {
    raised_.emplace(std::move(error));
    stopped_ = true;
    throw Raised();
  }
  return !stopped_;
}

void Watcher::rethrow() {
  if (!raised_) return;
  py::error_already_set error = std::move(*raised_);
  raised_.reset();
  throw error;
}

}  // namespace mercer::python
