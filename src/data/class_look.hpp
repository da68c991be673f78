// Is a column one of classes? One rule for all who ask.
#pragma once

#include "mercer/source.hpp"

namespace mercer::data {

// Beyond, pairs of classes take too long for what nobody asked for.
constexpr std::size_t kMostClasses = 100;

struct ClassLook {
  enum class As {
    classes,   // few different values, each of them often; of numbers whole ones
    unclear,   // who calls it so may be right
    rare,      // most values occur once: often the labels are another column
    quantity,  // many different numbers, with fractions; or whole ones that hardly come again, or more than
               // kMostClasses. Whole numbers that count from the least to the greatest without a hole may be codes
  };
  As as = As::unclear;
  std::size_t different = 0;  // values; where there are many, as many as it took to see that
  bool fractions = false;     // of numbers
};

ClassLook look_for_classes(const Column& column);

}  // namespace mercer::data
