// Checkpoints of several fits, one after the other, in those of the whole: what is behind is kept with what is begun.
#pragma once

#include <memory>
#include <vector>

#include "mercer/checkpoints.hpp"

namespace mercer::detail {

class FitsInOrder {
 public:
  explicit FitsInOrder(std::shared_ptr<Checkpoints> whole);  // null: nothing is kept

  // Of the next fit; null where nothing is kept, or one before it was told to stop: what comes of that is no beginning.
  std::shared_ptr<Checkpoints> next();

 private:
  struct Kept;
  class OfFit;
  std::shared_ptr<Kept> kept_;
  std::size_t next_ = 0;
};

}  // namespace mercer::detail
