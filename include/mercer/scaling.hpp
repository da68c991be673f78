// mercer/scaling.hpp: bringing the columns of real inputs to a common scale, as part of a model.
#pragma once

#include <string>
#include <string_view>

#include "mercer/points.hpp"

namespace mercer {

// Each real column x becomes (x - shift) * factor. Text columns of a table are left alone. Columns that are constant in
// the training data get factor 1, so that they become zero there and a new value still shows.
//   centred   mean 0
//   standard  mean 0 and standard deviation 1 (division by n)
//   minmax    0 to 1
// Sparse rows stay sparse: they are refused unless the kind is none.
struct Scaling {
  enum class Kind { none, centred, standard, minmax };
  Kind kind = Kind::none;
  Vector shift, factor;  // one per real column, in the order of the columns; empty for none

  static Scaling of(Kind kind, const Points& x);
  Points apply(const Points& x) const;      // keeps column names
  Scaling then(const Scaling& next) const;  // this one, and of what comes out of it the next; called as this one
  // prod |factor|: how much a volume grows by scaling, and so a density of scaled inputs when it is one of the inputs.
  double volume() const;
  friend bool operator==(const Scaling&, const Scaling&) = default;
};

std::string_view name_of(Scaling::Kind kind);       // "none", "standard", "minmax"
Scaling::Kind scaling_kind(std::string_view name);  // throws UsageError

}  // namespace mercer
