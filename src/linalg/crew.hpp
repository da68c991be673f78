// How many threads BLAS uses.
#pragma once

#include <omp.h>

namespace mercer::linalg {

// While it lives, BLAS calls of this thread stay on it when they are small. Waking others costs more than they would
// save, and on a machine that is busy with other work thousands of times more: they spin until they are scheduled.
class Crew {
 public:
  explicit Crew(double flops) {
    if (flops >= 4e6) return;
    before_ = omp_get_max_threads();
    omp_set_num_threads(1);
  }
  ~Crew() {
    if (before_ > 0) omp_set_num_threads(before_);
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

 private:
  int before_ = 0;
};

}  // namespace mercer::linalg
