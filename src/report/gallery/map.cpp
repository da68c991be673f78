// A map from distances.
#include <fmt/format.h>

#include "mercer/machines/mds.hpp"
#include "report/cities.hpp"
#include "report/gallery/sections.hpp"

namespace mercer::report::gallery {

Json map_of_cities() {
  const Cities cities = ten_cities();
  const Model model = ClassicalMds{}.fit(precomputed(cities.distances));
  const Matrix y = as_on_a_map(model.parts().fitted, cities);
  Vector east, north;
  for (Index i = 0; i < y.rows(); ++i) {
    east.push_back(y(i, 0));
    north.push_back(y(i, 1));
  }
  const double explained = model.report().figure("explained_share").value();
  return section(
      "map", "A map from distances alone",
      {"Nothing but the 45 distances between ten cities. Classical scaling turns them into inner products, and "
       "two eigenvectors of that matrix are the map."},
      {{"map",
        "embedding",
        "Ten cities of the United States",
        fmt::format("The plane explains {:.1f} % of the whole; the rest is the roundness of the earth. Left and "
                    "right are not in the distances: the map is turned over so that New York is in the east.",
                    100 * explained),
        {{"axes", {{{"label", "east"}, {"unit", "miles"}}, {{"label", "north"}, {"unit", "miles"}}}},
         {"coordinates", {numbers(east), numbers(north)}},
         {"names", cities.names},
         {"equal", true},
         {"label_points", true}}}});
}

}  // namespace mercer::report::gallery
