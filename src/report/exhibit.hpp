// What a report shows of a model and data: pictures as data. web/src/charts/types.ts says what each kind holds and
// draws it; every number is computed here.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "mercer/matrix.hpp"

namespace mercer::report {

struct Exhibit {
  std::string id;       // unique in a document: "calibration"
  std::string kind;     // the chart: "curve", "regions", "gram", ...
  std::string title;    // "Left-out points"
  std::string finding;  // in words, with the numbers: "95 % bands hold 93.8 % of the points"
  Json data;
};
Json to_json(const Exhibit& exhibit);

// Marks of a chart at most; where there are more points, a sample is drawn and its size said.
inline constexpr Index kMostPoints = 5000;

// Numbers of a chart: plain ones with seven digits where they are few, else base64 of float32. What is not finite is
// null, or NaN.
Json numbers(VectorView values);
// As bytes between the least and the largest: pictures.
Json bytes(VectorView values);

}  // namespace mercer::report
