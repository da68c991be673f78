// Losses as the solver of regularised risk sees them.
#pragma once

#include "mercer/machines/rrm.hpp"

namespace mercer::detail {

// A loss as a function of f, with what it takes to minimise it and to certify the minimum.
class LossFunction {
 public:
  explicit LossFunction(const RegularisedRisk& config) : config_(config) {}

  bool smooth() const;  // differentiable, and the derivative has a derivative but for a few points
  double value(double y, double f) const;
  // sup_f s f - value(y, f), for s where that is finite; and the nearest such s.
  double conjugate(double y, double s) const;
  double admissible(double y, double s) const;

  struct Bend {
    double value, slope, curvature;
  };
  // Of the envelope min_z value(y, z) + (z - v)^2 / (2 mu), which is smooth, as functions of v. Its slope is a
  // derivative of the loss at the best z. mu = 0, the loss itself, is for smooth losses and they take no other.
  Bend envelope(double y, double v, double mu) const;

 private:
  RegularisedRisk config_;
};

}  // namespace mercer::detail
