#include "kernel/float_form.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "kernel/catalog.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

// Up to this many columns |x-y|^2 is taken from differences.
constexpr Index kDifferenceColumns = 16;
// Rows with fewer than one column in so many set are better left sparse.
constexpr Index kSparsest = 64;

// body(column, number) for the numbers that are stored.
template <class Body>
void for_each_number(const Points& x, Body body) {
  const auto dense = [&](const auto& values) {
    for (Index i = 0; i < values.rows(); ++i) {
      for (Index k = 0; k < values.cols(); ++k) body(k, static_cast<double>(values(i, k)));
    }
  };
  if (const SparseMatrix* sparse = sparse_rows(x)) {
    for (std::size_t p = 0; p < sparse->values.size(); ++p) body(sparse->columns[p], sparse->values[p]);
  } else if (const auto* single = dynamic_cast<const DenseReals<float>*>(&x.rep())) {
    dense(single->values);
  } else {
    dense(dense_rows(x).values);
  }
}

bool worth_storing(const Points& x) {
  const SparseMatrix* sparse = sparse_rows(x);
  return sparse == nullptr || sparse->cols * sparse->rows <= kSparsest * static_cast<Index>(sparse->values.size());
}

// Whether neither squares of the inputs nor the numbers they are multiplied with leave the range of floats.
bool fits_single_precision(const FloatForm& form) {
  constexpr double kLeast = 1e-15, kMost = 1e15, kMostFactor = 1e30;
  const auto within = [](double v, double least, double most) { return v == 0 || (v >= least && v <= most); };
  double largest = 0;
  for_each_number(form.inputs, [&](Index column, double v) {
    const double factor = form.column_factors.empty() ? 1 : form.column_factors[at(column)];
    largest = std::max(largest, std::abs(v * factor));
  });
  return within(largest, kLeast, kMost) && within(form.factor, 1 / kMostFactor, kMostFactor) &&
         within(form.scale, 1 / kMostFactor, kMostFactor) && within(form.shift, 1 / kMostFactor, kMostFactor);
}

}  // namespace

std::optional<FloatForm> float_form(const Kernel& k, const Points& x) {
  double scale = 1;
  Points inputs = x;
  const Node* node = &k.node();
  for (;;) {
    if (node->entry->name == "scale") {
      scale *= node->param("scale").values.front();
    } else if (node->entry->name == "on") {
      inputs = inputs.columns(std::get<Columns>(node->option("columns")));
    } else {
      break;
    }
    node = node->children.front().get();
  }
  if (inputs.domain().kind != "reals" || !worth_storing(inputs)) return std::nullopt;
  FloatForm form{.profile = {.kind = simd::FloatProfile::Kind::linear, .scale = static_cast<float>(scale)},
                 .scale = scale,
                 .inputs = inputs,
                 .column_factors = {},
                 .shift_free = false};
  const std::string& name = node->entry->name;
  if (name == "rbf") {
    form.profile.kind = simd::FloatProfile::Kind::exponential;
    form.profile.differences = inputs.domain().dimension <= kDifferenceColumns;
    form.shift_free = true;
    const Param& ell = node->param("ell");
    if (ell.list) {
      for (const double e : ell.values) form.column_factors.push_back(1 / e);
      form.factor = 0.5;
    } else {
      form.factor = 0.5 / (ell.values.front() * ell.values.front());
    }
  } else if (name == "poly") {
    form.profile.kind = simd::FloatProfile::Kind::power;
    form.shift = node->param("c").values.front();
    form.profile.degree = static_cast<int>(node->number("degree"));
  } else if (name != "linear") {
    return std::nullopt;
  }
  if (!fits_single_precision(form)) return std::nullopt;
  form.profile.factor = static_cast<float>(form.factor);
  form.profile.shift = static_cast<float>(form.shift);
  return form;
}

}  // namespace mercer::detail
