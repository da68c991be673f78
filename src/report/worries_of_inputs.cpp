// Worries about the inputs: columns that say too much, points that the model knows too well or not at all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "domains/fingerprints.hpp"
#include "points/rep.hpp"
#include "report/answers.hpp"
#include "report/worries.hpp"

namespace mercer::report {

namespace {

constexpr Index kMostRows = 2000;  // that a look at pairs of points takes

// Every so-manieth point, so that there are at most `most`.
Points thinned(const Points& x, Index most) {
  if (x.size() <= most) return x;
  std::vector<Index> which;
  for (Index i = 0; i < most; ++i) which.push_back(i * x.size() / most);
  return x.select(which);
}

struct NumberColumn {
  std::string name;
  Vector values;
};

// Of rows of numbers that are not sparse.
std::vector<NumberColumn> number_columns(const Points& x) {
  if (x.domain().kind != "reals" || is_sparse(x)) return {};
  const DenseRows rows = dense_rows(x);
  const std::vector<std::string> names = x.column_names();
  std::vector<NumberColumn> out;
  for (Index c = 0; c < rows.values.cols(); ++c) {
    NumberColumn column{at(c) < names.size() && !names[at(c)].empty() ? names[at(c)] : fmt::format("column {}", c + 1),
                        {}};
    for (Index i = 0; i < rows.values.rows(); ++i) column.values.push_back(rows.values(i, c));
    out.push_back(std::move(column));
  }
  return out;
}

bool counts_rows(const Vector& values) {
  if (values.size() < 20) return false;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != 1) return false;
  }
  return true;
}

// Whole numbers, no two the same, in a column that is called so.
bool is_identifier_column(const NumberColumn& column) {
  std::string name = column.name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool called = name == "id" || name == "index" || name == "row" || name == "nr" || name == "number" ||
                      name.ends_with("_id") || name.ends_with(" id");
  if (!called || column.values.size() < 20) return false;
  Vector sorted = column.values;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() &&
         std::all_of(sorted.begin(), sorted.end(), [](double v) { return v == std::floor(v); });
}

double correlation(const Vector& a, const Matrix& y, Index t) {
  const auto n = static_cast<double>(a.size());
  double mean_a = 0, mean_y = 0, aa = 0, yy = 0, ay = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / n;
    mean_y += y(static_cast<Index>(i), t) / n;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double u = a[i] - mean_a, v = y(static_cast<Index>(i), t) - mean_y;
    aa += u * u;
    yy += v * v;
    ay += u * v;
  }
  return aa > 0 && yy > 0 ? ay / std::sqrt(aa * yy) : 0;
}

// Whether each class is an interval of the column, but for one point in 200. Such a point changes the class twice.
bool divides(const Vector& values, const Labels& labels) {
  const std::size_t n = values.size();
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return values[at(i)] < values[at(j)]; });
  std::size_t changes = 0;
  for (std::size_t r = 1; r < n; ++r) {
    const bool other = labels.of[at(order[r])] != labels.of[at(order[r - 1])];
    // Of equal values the order says nothing: two classes at one value are no division.
    if (other) changes += values[at(order[r])] == values[at(order[r - 1])] ? n : 1;
  }
  return changes <= labels.classes.size() - 1 + 2 * (n / 200);
}

std::string given_away(const Subject& subject, const Vector& values) {
  if (values.size() < 20) return {};
  if (is_classification(subject)) {
    return subject.labels.classes.size() > 1 && divides(values, subject.labels) ? "divides the classes" : "";
  }
  if (!is_regression(subject)) return {};
  for (Index t = 0; t < subject.y.cols(); ++t) {
    const double r = correlation(values, subject.y, t);
    if (std::abs(r) > 0.999) return fmt::format("goes with the target (correlation {:.5f})", r);
  }
  return {};
}

// k(x, y) / sqrt(k(x, x) k(y, y)).
Matrix likeness(const Kernel& k, const Points& x, const Points& y, const Execution& how) {
  Matrix out = cross(k, x, y, how);
  const Vector dx = diagonal(k, x), dy = diagonal(k, y);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      const double scale = std::sqrt(dx[at(i)] * dy[at(j)]);
      out(i, j) = scale > 0 ? out(i, j) / scale : 0;
    }
  }
  return out;
}

// How many rows are, to the last bit, points of the fit; of models of before, points that the model rests on.
Index seen_again(const Subject& subject) {
  const Model::Parts& parts = subject.model.parts();
  std::vector<std::int64_t> known = parts.provenance.rows;
  if (known.empty()) known = fingerprints(*parts.f.parts().centres);
  std::sort(known.begin(), known.end());
  const Points& x = subject.x;
  const std::vector<std::int64_t> rows = fingerprints(parts.provenance.rows.empty() ? parts.scaling.apply(x) : x);
  return std::count_if(rows.begin(), rows.end(),
                       [&](std::int64_t row) { return std::binary_search(known.begin(), known.end(), row); });
}

const Kernel* kernel_of(const Subject& subject) {
  const auto& kernel = subject.model.expansion().parts().kernel;
  return kernel ? &*kernel : nullptr;
}

}  // namespace

std::vector<Worry> about_columns(const Subject& subject) {
  std::vector<Worry> out;
  for (const NumberColumn& column : number_columns(subject.x)) {
    if (const std::string how = given_away(subject, column.values); !how.empty()) {
      out.push_back(
          {true, fmt::format("Column {} alone {}.", column.name, how),
           "Often such a column is made of the target, or known only after it: then the model will fail in use.",
           "Find out where it comes from; if it is not known before the target, fit without it."});
    }
    if (counts_rows(column.values) || is_identifier_column(column)) {
      out.push_back({true, fmt::format("Column {} counts or names the rows, and is an input.", column.name),
                     "It says nothing of new rows, and the order of the file may give the target away.",
                     "Fit without it."});
    }
  }
  return out;
}

std::vector<Worry> about_points(const Subject& subject) {
  const Kernel* const k = kernel_of(subject);
  const auto& centres = subject.model.expansion().parts().centres;
  if (k == nullptr || !centres || subject.fitted_to || centres->size() == 0) return {};
  std::vector<Worry> out;
  const Points x = subject.model.parts().scaling.apply(thinned(subject.x, kMostRows));
  const Points known = thinned(*centres, 2 * kMostRows);
  const Matrix alike = likeness(*k, x, known, subject.how);
  Index far = 0;
  for (Index i = 0; i < alike.rows(); ++i) {
    const double* const row = alike.row(i);
    if (std::none_of(row, row + alike.cols(), [](double v) { return std::abs(v) >= 0.05; })) ++far;
  }
  if (far > 0 && far * 100 >= x.size()) {
    out.push_back({true,
                   fmt::format("{} of {} rows ({:.2g} %) are far from all points that the model rests on.", far,
                               x.size(), 100 * static_cast<double>(far) / static_cast<double>(x.size())),
                   "There every value of the kernel is below 0.05: the model says what it says of nothing at all.",
                   "Fit to points like these, or do not use it there."});
  }
  if (const Index again = seen_again(subject); again > 0) {
    out.push_back({again * 20 >= subject.x.size(),
                   fmt::format("{} of {} rows were among the points of the fit.", again, subject.x.size()),
                   "What the model has seen it tells better than what it has not: the figures flatter.",
                   "Score on rows that were left out of the fit."});
  }
  return out;
}

std::vector<Worry> about_kernel(const Subject& subject) {
  const Kernel* const k = kernel_of(subject);
  const auto& centres = subject.model.expansion().parts().centres;
  if (k == nullptr || !centres || centres->size() < 10) return {};
  const Points x = thinned(*centres, 500);
  const Matrix alike = likeness(*k, x, x, subject.how);
  Vector nearest;
  double least = 1;
  for (Index i = 0; i < alike.rows(); ++i) {
    double best = 0;
    for (Index j = 0; j < alike.cols(); ++j) {
      if (i != j) best = std::max(best, std::abs(alike(i, j)));
      least = std::min(least, alike(i, j));
    }
    nearest.push_back(best);
  }
  std::nth_element(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2), nearest.end());
  const double typical = nearest[nearest.size() / 2];
  if (typical < 0.1) {
    return {
        {true,
         fmt::format(
             "The matrix of the kernel is nearly diagonal: a typical point has likeness {:.2g} with the nearest other.",
             typical),
         "Every point is like itself alone; the model remembers, and learns nothing of new points.",
         "Use a wider kernel (a larger ell), or scale the inputs."}};
  }
  if (least > 0.999) {
    return {
        {true,
         fmt::format("The matrix of the kernel is nearly constant: no two points have a likeness below {:.5f}.", least),
         "To the kernel all points are the same.", "Use a narrower kernel (a smaller ell), or scale the inputs."}};
  }
  return {};
}

}  // namespace mercer::report
