// mercer/rkhs.hpp: functions of the Hilbert space that a kernel has, as values.
//
//     using namespace mercer::rkhs;
//     Function f = section(k, x) - 0.5 * section(k, y);   // f = k(x, .) - k(y, .)/2
//     inner(f, g)   f.norm()   distance(f, g)
//     f(points)                                           // f(z) = <f, k(z, .)>, the reproducing property
//     project(f, points).value                            // the nearest function in the span of k(z_j, .)
//     distance(mean(k, a), mean(k, b))                    // the maximum mean discrepancy of two samples
//
// A function is f = sum_i alpha_i k(x_i, .), an Expansion with one output and nothing else; its centres may be of any
// domain. Sums go over the union of both functions' centres: equal points are one, and those whose coefficients cancel
// are gone. Functions of different kernels live in different spaces: KernelError. Immutable and thread-safe.
#pragma once

#include "mercer/distances.hpp"
#include "mercer/model.hpp"

namespace mercer::rkhs {

class Function {
 public:
  // UsageError unless f has a kernel and one output, and neither bias nor trend: those are outside the space.
  explicit Function(Expansion f);
  // sum_i alpha_i k(x_i, .). UsageError where k has an `auto`: k.resolve(x) gives it its numbers.
  Function(const Kernel& k, const Points& centres, VectorView alpha);

  const Kernel& kernel() const { return *f_.parts().kernel; }
  const Points& centres() const { return *f_.parts().centres; }
  Index size() const { return f_.size(); }
  VectorView coefficients() const { return {f_.parts().alpha.data(), static_cast<std::size_t>(size())}; }
  const Expansion& expansion() const { return f_; }

  Vector operator()(const Points& x, const Execution& how = {}) const;
  // sqrt(<f, f>). Made of distances where the coefficients add up to little: |k(x, .) - k(y, .)| is d(x, y), digits and
  // all, where alpha' K alpha would cancel.
  double norm(const Execution& how = {}) const;

  Function operator-() const { return *this * -1.0; }
  friend Function operator+(const Function& f, const Function& g);
  friend Function operator-(const Function& f, const Function& g) { return f + -g; }
  friend Function operator*(const Function& f, double c);
  friend Function operator*(double c, const Function& f) { return f * c; }

 private:
  Expansion f_;
};

// k(x, .) of one point x.
Function section(const Kernel& k, const Points& x);
// The mean embedding of points: sum_i w_i k(x_i, .) / sum_i w_i, all weights 1 where none are given.
Function mean(const Kernel& k, const Points& x, VectorView weights = {});
// The f of a model, or one output of it, without its bias, which is a number and no part of the space. UsageError where
// f is more than an expansion of a kernel in the inputs as they come (numbers, a trend, inputs that the model scales).
Function function_of(const Model& model, Index output = 0);

double inner(const Function& f, const Function& g, const Execution& how = {});
double distance(const Function& f, const Function& g, const Execution& how = {});  // |f - g|

struct Projection {
  Function value;
  Index rank;        // of K(z, z): how many directions the points span
  double condition;  // of what was solved with: the largest over the smallest eigenvalue that counts
};
// The function in the span of k(z_j, .) that is nearest to f: sum_j beta_j k(z_j, .), beta = K(z, z)^+ f(z). Directions
// whose eigenvalue is below 1e-14 n of the largest are left out: f(z) says nothing about them. n^3 flops.
Projection project(const Function& f, const Points& z, const Execution& how = {});

}  // namespace mercer::rkhs
