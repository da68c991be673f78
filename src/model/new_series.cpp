#include "model/new_series.hpp"

#include <fmt/format.h>

#include "state_space/line.hpp"

namespace mercer::detail {

Index points_of_new_series(const Model& model, const Points& x) {
  const Expansion::Parts& f = model.expansion().parts();
  if (!f.kernel || !f.centres) return 0;
  const auto lines = state_space::along_lines(*f.kernel, *f.centres);
  if (!lines || !lines->apart) return 0;
  const auto places = state_space::placed(*lines, *f.centres);
  return state_space::placed_among(*places, *lines, model.parts().scaling.apply(x)).lines.back().size();
}

std::string new_series_words(Index points) {
  return fmt::format("{} row{} of series that the model has not seen: of these it knows what it knew before the fit",
                     points, points == 1 ? " is" : "s are");
}

}  // namespace mercer::detail
