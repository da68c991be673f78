// The Gaussian process of the CO2 record: what it is made of, its fit, its forecast and its test on the past.
#pragma once

#include <vector>

#include "mauna_loa.hpp"
#include "mercer/machines/gp.hpp"

namespace mercer::cli {

// What f is the sum of: the addends of the kernel, in its order, and the mean function.
enum Part : std::size_t { kTrend, kSeason, kMedium, kShort, kLine, kParts };
extern const char* const kPartNames[kParts];

// Where learning begins: round numbers, amplitudes in ppm, squared, times shapes over years.
std::string co2_start();

// Hyper-parameters learnt from the months before `end` (a year); `mean` is zero, constant or linear.
Model fit_co2(const Record& record, double end, const std::string& mean, const Execution& how);

// Figures of the kernel: the amplitude in ppm of one of its addends, and any parameter.
double amplitude(const Model& model, Part addend);
double parameter(const Model& model, const std::string& path);

// f and its parts at some months, of a model whose mean is linear.
struct Forecast {
  Vector year, mean;
  Vector std;                // of a measurement: f and noise
  Vector part[kParts] = {};  // means
  Vector part_std[kParts] = {};
};
Forecast forecast(const Model& model, const Vector& year, const Execution& how);

// How well the months of `record` within [from, to) are foretold.
struct Hindcast {
  double from = 0, to = 0;  // years
  Index months = 0;
  double rmse = 0, std = 0;  // and the mean standard deviation it expected
  double coverage = 0, log_density = 0;
};
Hindcast hindcast(const Model& model, const Record& record, double from, double to, const Execution& how);

}  // namespace mercer::cli
