#include "report/plane.hpp"

#include "base/at.hpp"
#include "linalg/lapack.hpp"
#include "linalg/largest_eigen.hpp"
#include "machines/embeddings/signs.hpp"
#include "points/rep.hpp"

namespace mercer::report {

Plane::Plane(const Subject& subject) : like_(subject.x), columns_(real_columns(subject.x)) {
  const DenseRows inputs = dense_rows(subject.x);
  if (columns_ == 2) {
    names_ = {input_name(subject.x, 0), input_name(subject.x, 1)};
    x_ = column_of(inputs.values, 0);
    y_ = column_of(inputs.values, 1);
    box_ = subject.box;
    return;
  }
  names_ = {"component 1", "component 2"};
  // What comes out of maps lies in no plane of the inputs: then the inputs themselves say where most of them lie.
  const Scaling& own = subject.model.parts().scaling;
  const Scaling scaling = own.maps.empty() ? own : Scaling{};
  const DenseRows scaled = dense_rows(scaling.apply(subject.x));
  Matrix centred(scaled.values);
  Vector mean(at(columns_));
  for (Index j = 0; j < columns_; ++j) {
    mean[at(j)] = mean_of(column_of(centred, j));
    for (Index i = 0; i < centred.rows(); ++i) centred(i, j) -= mean[at(j)];
  }
  Matrix covariance(columns_, columns_);
  linalg::multiply_left_transposed(1 / static_cast<double>(centred.rows()), centred, centred, 0, covariance);
  double trace = 0;
  for (Index j = 0; j < columns_; ++j) trace += covariance(j, j);
  linalg::LargestEigen axes = linalg::largest_eigen(covariance.view(), 2);
  share_ = trace > 0 ? (axes.values[0] + axes.values[1]) / trace : 1;
  Matrix along(centred.rows(), 2);
  linalg::multiply_transposed(1, centred, axes.vectors, 0, along);
  for (Index a = 0; a < 2; ++a) {
    const double sign = detail::sign_of(column_of(along, a), detail::by_what_they_are(subject.x));
    for (Index i = 0; i < along.rows(); ++i) along(i, a) *= sign;
    for (Index j = 0; j < columns_; ++j) axes.vectors(a, j) *= sign;
  }
  x_ = column_of(along, 0);
  y_ = column_of(along, 1);
  centre_ = mean;
  directions_ = axes.vectors;
  for (Index j = 0; j < columns_ && !scaling.factor.empty(); ++j) {
    centre_[at(j)] = mean[at(j)] / scaling.factor[at(j)] + scaling.shift[at(j)];
    for (Index a = 0; a < 2; ++a) directions_(a, j) /= scaling.factor[at(j)];
  }
}

Points Plane::cells(Index nx, Index ny) const {
  const Vector xs = spaced(x_range(), nx), ys = spaced(y_range(), ny);
  Matrix out(nx * ny, columns_);
  for (Index j = 0; j < ny; ++j) {
    for (Index i = 0; i < nx; ++i) {
      double* const row = out.row(j * nx + i);
      if (columns_ == 2) {
        row[0] = xs[at(i)];
        row[1] = ys[at(j)];
        continue;
      }
      for (Index c = 0; c < columns_; ++c) {
        row[c] = centre_[at(c)] + xs[at(i)] * directions_(0, c) + ys[at(j)] * directions_(1, c);
      }
    }
  }
  return like(like_, std::move(out));
}

}  // namespace mercer::report
