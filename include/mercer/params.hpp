// mercer/params.hpp: the numbers inside a kernel, as an optimiser or a reader sees them.
//
//     Params p = k.params();                 // rbf.ell = 0.5, matern.ell = 1, ...
//     Vector theta = p.theta();              // free parameters, unconstrained
//     Kernel next = k.with(theta);           // the same expression at other values
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/matrix.hpp"
#include "mercer/value_range.hpp"

namespace mercer {

struct Parameter {
  std::string path;  // "rbf.ell"; a second rbf is "rbf2.ell"; one of several columns is "rbf.ell[3]"
  double value = 1;
  double lower = 0;  // natural or given range
  double upper = std::numeric_limits<double>::infinity();
  bool fixed = false;      // written fixed(...)
  bool automatic = false;  // written auto and not yet resolved from data
  ValueRange range = {};   // what it may be by nature, and how it is moved

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// Every number of a kernel in the order of its text. Free are those that are not fixed, and not at an end from where
// their coordinate leads nowhere, as 0 is on a logarithmic scale. They also have an unconstrained coordinate: that of
// their range, or, where two ends are given, the logit of its place between those of the ends.
class Params {
 public:
  Params() = default;
  explicit Params(std::vector<Parameter> list) : list_(std::move(list)) {}

  Index size() const { return static_cast<Index>(list_.size()); }
  const Parameter& operator[](Index i) const { return list_[static_cast<std::size_t>(i)]; }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

  // The number at `path`: a whole path or, when it names just one, its last part ("ell").
  Index find(std::string_view path) const;

  std::vector<Index> free() const;            // positions of the free parameters
  Vector theta() const;                       // their unconstrained coordinates
  Params with_theta(VectorView theta) const;  // the same set at other coordinates
  // From dL/dvalue of all parameters to dL/dtheta of the free ones.
  Vector chain(VectorView gradient) const;

 private:
  std::vector<Parameter> list_;
};

}  // namespace mercer
