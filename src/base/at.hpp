// Points are counted by the signed Index; the standard containers want an unsigned one.
#pragma once

#include <cstddef>

#include "mercer/matrix.hpp"

namespace mercer {

constexpr std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace mercer
