// How good a model is, in figures with intervals.
#pragma once

#include <optional>

#include "report/bootstrap.hpp"
#include "report/exhibit.hpp"
#include "report/subject.hpp"

namespace mercer::report {

struct Metric {
  std::string name;  // as `mercer score` calls it
  double value = 0;
  std::optional<Interval> interval = {};  // 95 %, by resampling the points
  std::string words;                      // "share of points whose class is right"
};
Json to_json(const Metric& metric);

// Those of `mercer score`, to the last digit where the data are held out; else the same of points that were left out
// (report/answers.hpp). Empty where there is no truth to compare with and the model needs one.
std::vector<Metric> metrics_of(const Subject& subject);

}  // namespace mercer::report
