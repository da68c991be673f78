// From coordinates back to inputs.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "kernel/catalog.hpp"
#include "linalg/lapack.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/machines/pca.hpp"
#include "mercer/machines/ridge.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

constexpr int kMostSteps = 100;
constexpr double kEnough = 1e-10;  // of the size of the points: a step that is no longer one

// What all pre-images need: the training points as rows of numbers, and the coordinates they have.
struct Known {
  const Expansion::Parts& f;
  DenseRows points;
  Index components;

  explicit Known(const Model& pca) : f(pca.expansion().parts()), components(pca.expansion().outputs() - 1) {
    require_pre_images(pca);
    points = dense_rows(*f.centres);
  }

  // |mean|^2 - 2 sum_i p_i k(x_i, x) + k(x, x) is the last output.
  double share(Index i) const { return -0.5 * f.alpha(i, components); }

  void require_coordinates(MatrixView given) const {
    if (given.cols() != components) {
      fail(ErrorKind::shape, "pre-images: {} coordinates for {} components", given.cols(), components);
    }
    for (Index i = 0; i < given.rows(); ++i) {
      for (Index j = 0; j < given.cols(); ++j) {
        if (!std::isfinite(given(i, j))) {
          fail(ErrorKind::data, "pre-images: row {}, column {} is {}", i + 1, j + 1, given(i, j));
        }
      }
    }
  }
};

bool is_rbf(const detail::Node& node) {
  return node.entry->name == "rbf" || (node.entry->name == "scale" && is_rbf(*node.children.front()));
}

// The coordinates of the training points.
Matrix places(const Model& pca, const Known& known, const Execution& how) {
  const Matrix scores = pca.expansion()(*known.f.centres, how);
  return Matrix(scores.view().block({0, scores.rows()}, {0, known.components}));
}

double squared_distance(const double* a, const double* b, Index n) {
  double out = 0;
  for (Index i = 0; i < n; ++i) out += (a[i] - b[i]) * (a[i] - b[i]);
  return out;
}

Matrix nearest_points(const Known& known, MatrixView places, MatrixView coordinates) {
  Matrix out = Matrix::uninitialized(coordinates.rows(), known.points.values.cols());
  parallel_for(out.rows(), thread_count(0), {}, "pre-images", [&](Index r, int) {
    Index nearest = 0;
    double least = INFINITY;
    for (Index i = 0; i < places.rows(); ++i) {
      const double d = squared_distance(places.row(i), coordinates.row(r), known.components);
      if (d >= least) continue;
      least = d;
      nearest = i;
    }
    std::copy_n(known.points.values.row(nearest), out.cols(), out.row(r));
  });
  return out;
}

// One step of all rows of z; how far the farthest went.
double step(const Known& known, const Matrix& coefficients, Matrix& z, const Execution& how) {
  Matrix weights = cross(*known.f.kernel, rows(z.view()), *known.f.centres, how);
  for (Index r = 0; r < z.rows(); ++r) {
    for (Index i = 0; i < weights.cols(); ++i) weights(r, i) *= coefficients(r, i);
  }
  Matrix next(z.rows(), z.cols());
  linalg::multiply(1, weights, known.points.values, 0, next);
  double farthest = 0;
  for (Index r = 0; r < z.rows(); ++r) {
    double total = 0;
    for (Index i = 0; i < weights.cols(); ++i) total += weights(r, i);
    if (!(total > 0)) continue;
    for (Index c = 0; c < z.cols(); ++c) next(r, c) /= total;
    farthest = std::max(farthest, std::sqrt(squared_distance(next.row(r), z.row(r), z.cols())));
    std::copy_n(next.row(r), z.cols(), z.row(r));
  }
  return farthest;
}

double largest_size(MatrixView m) {
  double out = 0;
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) out = std::max(out, std::abs(m(i, j)));
  }
  return out;
}

// Out of the model's units.
void unscale(const Scaling& scaling, Matrix& z) {
  if (scaling.kind == Scaling::Kind::none) return;
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index c = 0; c < z.cols(); ++c) z(i, c) = z(i, c) / scaling.factor[at(c)] + scaling.shift[at(c)];
  }
}

}  // namespace

void require_pre_images(const Model& pca) {
  if (!(pca.parts().reading == Reading::projection)) {
    fail(ErrorKind::usage, "pre-images: a pca with a kernel is needed, and this is a {} read as {}",
         pca.parts().machine, name_of(pca.parts().reading));
  }
  const Domain domain = pca.expansion().parts().centres->domain();
  if (domain.kind != "reals") {
    fail(ErrorKind::domain, "pre-images: inputs that can be found are real vectors; the model was fitted to {}",
         domain.str());
  }
  if (const std::vector<RowMap>& maps = pca.parts().scaling.maps; !maps.empty()) {
    fail(ErrorKind::usage,
         "pre-images: the inputs go through {}, which nothing turns back; prepare them before the fit", str(maps));
  }
}

bool has_fixed_point(const Model& pca) { return is_rbf(pca.expansion().parts().kernel->node()); }

Matrix pre_images(const Model& pca, MatrixView coordinates, const Execution& how) {
  const Threads threads(how.threads);
  const Known known(pca);
  known.require_coordinates(coordinates);
  if (!has_fixed_point(pca)) {
    fail(ErrorKind::kernel,
         "pre-images: the fixed point is that of rbf, and the kernel is {}; learn_pre_images takes any",
         known.f.kernel->str());
  }
  // mean + sum_j y_j v_j in terms of the phi(x_i).
  Matrix coefficients(coordinates.rows(), known.f.alpha.rows());
  const MatrixView axes = known.f.alpha.view().block({0, known.f.alpha.rows()}, {0, known.components});
  linalg::multiply_transposed(1, coordinates, axes, 0, coefficients);
  for (Index r = 0; r < coefficients.rows(); ++r) {
    for (Index i = 0; i < coefficients.cols(); ++i) coefficients(r, i) += known.share(i);
  }
  Matrix z = nearest_points(known, places(pca, known, how), coordinates);
  const double enough = kEnough * largest_size(known.points.values);
  for (int steps = 0; steps < kMostSteps; ++steps) {
    how.monitor.report({"pre-images", static_cast<double>(steps) / kMostSteps});
    if (step(known, coefficients, z, how) <= enough) break;
  }
  unscale(pca.parts().scaling, z);
  return z;
}

Model learn_pre_images(const Model& pca, const Kernel& k, double ridge, const Execution& how) {
  const Known known(pca);
  Matrix inputs(known.points.values);
  unscale(pca.parts().scaling, inputs);
  return KernelRidge{.ridge = ridge}.fit(
      Training{.K = lazy(k, rows(places(pca, known, how))), .y = std::move(inputs), .how = how});
}

}  // namespace mercer
