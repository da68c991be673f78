// mercer fit --profile: where the time went.
#pragma once

#include "base/stages.hpp"
#include "mercer/report.hpp"
#include "output.hpp"

namespace mercer::cli {

class Profile {
 public:
  // `whole` is the command's clock, whose stage "fit" is divided as the report says.
  Profile(const std::vector<StageClock::Entry>& whole, const Report& report);

  std::string str() const;  // a table: seconds and shares, and their total
  Json json() const;        // seconds

 private:
  void add(const std::string& name, double seconds);

  std::vector<StageClock::Entry> stages_;
  double total_ = 0;
};

}  // namespace mercer::cli
