// The sections of the gallery, each in a file of its own, and the small pieces they share.
#pragma once

#include <functional>

#include "mercer/model.hpp"
#include "report/exhibit.hpp"

namespace mercer::report::gallery {

Json basic_kernels();
Json ridge_fits();
Json support_vectors();
Json priors();
Json posteriors();
Json two_targets();
Json map_of_cities();
Json waves_of_a_path();

Json section(const std::string& id, const std::string& title, const std::vector<std::string>& words,
             const std::vector<Exhibit>& exhibits);

Vector grid(double low, double high, Index count);  // both ends included
Points line(VectorView x);                          // one column

// A curve: axes x and y, nothing else yet.
Json curve(VectorView at, const Json& y_axis = {{"label", "f(x)"}});
void add_line(Json& curve, const std::string& name, VectorView y, const Json& more = Json::object());
void add_points(Json& curve, VectorView x, VectorView y);

// y = sin(2 pi x) + noise at random places in [0, 1]: what regressions are drawn with.
struct Noisy {
  Vector x, y;
};
Noisy noisy_sine(Index n, std::uint64_t seed);

}  // namespace mercer::report::gallery
