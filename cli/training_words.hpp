// The words of `fit` and `tune` that say what a machine is fitted to.
#pragma once

#include "input_words.hpp"
#include "machine_options.hpp"

namespace mercer::cli {

struct TrainingWords {
  std::string data, kernel, target, weights, prepare, scale, memory, threads, centres, centres_by, time;
  std::string types, drop, columns, missing, series_by;
  bool stream = false;
  FormatWords file;

  void declare(Arguments& arguments);
  void declare_centres(Arguments& arguments);  // of `fit` alone
  // The words that options of a machine cannot have: these, and the verb's own.
  static std::vector<std::string> taken(std::vector<std::string> own);

  workflow::FitRequest request(const Machine& machine, const Settings& settings) const;
};

// Of --types, --columns, --drop and --missing.
data::TableWishes table_wishes(const std::string& types, const std::string& columns, const std::string& drop,
                               const std::string& missing);

// Of --plan, on standard output.
void put_plan(const Plan& plan, bool as_json);

}  // namespace mercer::cli
