#include "kernel/float_form.hpp"

#include <cmath>

#include "kernel/catalog.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

// Up to this many columns |x-y|^2 is taken from differences.
constexpr Index kDifferenceColumns = 16;
// Rows with fewer than one column in so many set are better left sparse.
constexpr Index kSparsest = 64;

bool worth_storing(const Points& x) {
  const auto* sparse = dynamic_cast<const SparseReals*>(&x.rep());
  if (sparse == nullptr) return true;
  return sparse->values.cols * sparse->values.rows <= kSparsest * static_cast<Index>(sparse->values.values.size());
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
  form.profile.factor = static_cast<float>(form.factor);
  form.profile.shift = static_cast<float>(form.shift);
  return form;
}

}  // namespace mercer::detail
