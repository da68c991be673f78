#include "workflow/held_rows.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "centres/pass.hpp"
#include "points/join.hpp"

namespace mercer::workflow {

HeldRows::HeldRows(Index rows, std::function<Points(Range)> read)
    : blocks_(rows, centres::rows_of_a_piece(rows)),
      height_(centres::rows_of_a_piece(rows)),
      read_(std::move(read)),
      kept_(at(blocks_.count())) {}

Points HeldRows::operator()(Range rows) const {
  std::optional<Points> out;
  for (Index first = rows.begin; first < rows.end;) {
    const Index number = first / height_;
    const Range own = block(number);
    Range some = {first, std::min(rows.end, own.end)};
    const std::optional<Points>& kept = kept_[at(number)];
    // What is not kept is read in one go.
    while (!kept && some.end < rows.end && !kept_[at(some.end / height_)]) {
      some.end = std::min(rows.end, block(some.end / height_).end);
    }
    Points next = kept ? kept->slice({some.begin - own.begin, some.end - own.begin}) : read_(some);
    out = out ? join(*out, next) : std::move(next);
    first = some.end;
  }
  return out ? *out : read_(rows);
}

}  // namespace mercer::workflow
