// Rows that are read in pieces, of which some stay in memory: of a fit that several processes share, those that this
// one goes through.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kernel/tiling.hpp"
#include "mercer/points.hpp"

namespace mercer::workflow {

class HeldRows {
 public:
  // Of blocks of as many rows as a piece of a pass has; `read` gives any rows, for several threads at once.
  HeldRows(Index rows, std::function<Points(Range)> read);

  Index blocks() const { return blocks_.count(); }
  Range block(Index number) const { return blocks_.block(number); }

  void keep(Index block, Points rows) { kept_[static_cast<std::size_t>(block)] = std::move(rows); }
  Points operator()(Range rows) const;  // whether they are kept or read

 private:
  Tiling blocks_;
  Index height_;
  std::function<Points(Range)> read_;
  std::vector<std::optional<Points>> kept_;
};

}  // namespace mercer::workflow
