// The damped oscillator f'' + 2 d f' + f = white noise, d the damping, in units of its frequency and of variance 1:
//     k(u) = c + d S,   c = exp(-d u) cos(s u),   S = exp(-d u) sin(s u) / s,   s^2 = 1 - d^2,
// and cosh, sinh beyond critical damping, d = 1.
#pragma once

namespace mercer::detail {

struct Oscillation {
  double c = 1, S = 0;
  double dc = 0, dS = 0;  // d / d damping

  double value(double damping) const { return c + damping * S; }
  double by_time() const { return -S; }
  double by_damping(double damping) const { return dc + S + damping * dS; }
};
Oscillation oscillation(double damping, double u);  // u >= 0

}  // namespace mercer::detail
