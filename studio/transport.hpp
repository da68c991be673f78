// HTTP over loopback: connections, limits, time-outs, the stream of events. Knows nothing of kernels.
#pragma once

#include <memory>

#include "studio/studio.hpp"

namespace mercer::studio {

class Transport {
 public:
  // Listens on 127.0.0.1 and, where the machine has it, ::1. `port` 0: any free one; one that is taken: the next free
  // one. Sets studio.guard.port. Throws Error(file) where none is free.
  Transport(Studio& studio, unsigned short port);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  unsigned short port() const;
  // Serves until SIGINT or SIGTERM. The number of the signal.
  int run();

 private:
  struct Rooms;
  std::unique_ptr<Rooms> rooms_;
};

}  // namespace mercer::studio
