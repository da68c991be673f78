#include "mercer/monitor.hpp"

#include "mercer/error.hpp"

namespace mercer {

void Monitor::report(const Progress& progress) const {
  if (callback_ && !callback_(progress)) {
    throw Error(ErrorKind::cancelled, std::string(progress.stage) + ": stopped on request");
  }
}

}  // namespace mercer
