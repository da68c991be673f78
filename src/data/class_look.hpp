// Is a column one of classes? One rule for all who ask.
#pragma once

#include "mercer/source.hpp"

namespace mercer::data {

struct ClassLook {
  enum class As {
    classes,   // few different values, each of them often; of numbers whole ones
    unclear,   // who calls it so may be right
    rare,      // most values occur once: often the labels are another column
    quantity,  // numbers with fractions, many of them different
  };
  As as = As::unclear;
  std::size_t different = 0;  // values; where there are many, as many as it took to see that
};

ClassLook look_for_classes(const Column& column);

}  // namespace mercer::data
