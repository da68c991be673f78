// The plane that a model of several real inputs is looked at in: the two inputs themselves, or the first two principal
// components of the inputs as the model scales them, the others at their mean.
#pragma once

#include "report/parts.hpp"

namespace mercer::report {

class Plane {
 public:
  explicit Plane(const Subject& subject);  // of at least two real columns

  bool is_slice() const { return columns_ > 2; }
  std::string x_name() const { return names_[0]; }
  std::string y_name() const { return names_[1]; }
  double share() const { return share_; }  // of the variance, of a slice
  const Vector& x() const { return x_; }   // where the points of the subject are
  const Vector& y() const { return y_; }
  Extent x_range() const { return box_ ? Extent{(*box_)[0], (*box_)[1]} : with_margin(extent(x_), 0.08); }
  Extent y_range() const { return box_ ? Extent{(*box_)[2], (*box_)[3]} : with_margin(extent(y_), 0.08); }
  // The inputs at nx times ny cells, row by row from the lowest y.
  Points cells(Index nx, Index ny) const;

 private:
  Points like_;
  Index columns_;
  std::vector<std::string> names_;
  Vector x_, y_, centre_;  // centre and directions are in the units of the inputs
  Matrix directions_;
  double share_ = 1;
  std::optional<std::array<double, 4>> box_;  // given by the subject, of the inputs themselves
};

}  // namespace mercer::report
