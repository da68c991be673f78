// What a Centres is made of.
#pragma once

#include "mercer/centres.hpp"

namespace mercer {

struct Centres::Rep {
  Kernel kernel;  // resolved
  Points points;  // different
  Matrix root;
  double jitter = 0;
  Choice choice = {};
};

}  // namespace mercer
