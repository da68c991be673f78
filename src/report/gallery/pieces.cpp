#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "base/random.hpp"
#include "report/gallery/sections.hpp"

namespace mercer::report::gallery {

Json section(const std::string& id, const std::string& title, const std::vector<std::string>& words,
             const std::vector<Exhibit>& exhibits) {
  Json shown = Json::array();
  for (const Exhibit& exhibit : exhibits) shown.push_back(to_json(exhibit));
  return {{"id", id}, {"title", title}, {"words", words}, {"exhibits", shown}};
}

Vector grid(double low, double high, Index count) {
  Vector out;
  for (Index i = 0; i < count; ++i) {
    out.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(count - 1));
  }
  return out;
}

Points line(VectorView x) {
  Matrix out(static_cast<Index>(x.size()), 1);
  for (Index i = 0; i < out.rows(); ++i) out(i, 0) = x[at(i)];
  return rows(std::move(out));
}

Json curve(VectorView at, const Json& y_axis) {
  return {{"x", {{"label", "x"}}}, {"y", y_axis}, {"at", numbers(at)}, {"lines", Json::array()}};
}

void add_line(Json& curve, const std::string& name, VectorView y, const Json& more) {
  Json one = {{"name", name}, {"y", numbers(y)}};
  one.update(more);
  curve["lines"].push_back(std::move(one));
}

void add_points(Json& curve, VectorView x, VectorView y) { curve["points"] = {{"x", numbers(x)}, {"y", numbers(y)}}; }

Noisy noisy_sine(Index n, std::uint64_t seed) {
  Random random(seed);
  Noisy out;
  for (Index i = 0; i < n; ++i) {
    const double x = random.uniform();
    out.x.push_back(x);
    out.y.push_back(std::sin(2 * std::numbers::pi * x) + 0.2 * random.normal());
  }
  return out;
}

}  // namespace mercer::report::gallery
