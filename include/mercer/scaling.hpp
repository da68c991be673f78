// mercer/scaling.hpp: what is done to inputs before a kernel sees them, as part of a model: maps of rows
// (mercer/row_maps.hpp) in their order, then columns brought to a common scale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/points.hpp"
#include "mercer/row_maps.hpp"

namespace mercer {

// Of what the maps give, each real column x becomes (x - shift) * factor. Text columns of a table are left alone.
// Columns that are constant in the training data get factor 1, so that they become zero there and a new value still
// shows.
//   centred   mean 0
//   standard  mean 0 and standard deviation 1 (division by n)
//   minmax    0 to 1
// Sparse rows stay sparse: they are refused unless the kind is none.
struct Scaling {
  enum class Kind { none, centred, standard, minmax };
  Kind kind = Kind::none;
  Vector shift, factor;           // one per real column, in the order of the columns; empty for none
  std::vector<RowMap> maps = {};  // come first

  // UsageError where a map makes several copies of a row.
  static Scaling of(Kind kind, const Points& x, std::vector<RowMap> maps = {});
  bool leaves_inputs() const { return kind == Kind::none && maps.empty(); }
  Points apply(const Points& x) const;  // keeps column names
  // This one, and of what comes out of it the next, which has no maps; called as this one.
  Scaling then(const Scaling& next) const;
  // prod |factor|: how much a volume grows by scaling, and so a density of scaled inputs when it is one of the inputs.
  // Of maps nothing is known.
  double volume() const;
  friend bool operator==(const Scaling&, const Scaling&) = default;
};

std::string_view name_of(Scaling::Kind kind);       // "none", "standard", "minmax"
Scaling::Kind scaling_kind(std::string_view name);  // throws UsageError

}  // namespace mercer
