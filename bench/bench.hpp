// A bench of mercer_bench: a name and its cases, each of which prints one JSON line. bench/mercer_bench.cpp has the
// list.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "mercer/matrix.hpp"

namespace mercer::bench {

using Words = std::vector<std::string>;

struct Case {
  std::string name, takes;  // the words behind the name, as `mercer_bench --list` shows them
  std::string what;
  Json (*run)(const Words&);
};

struct Bench {
  std::string name, what;
  std::vector<Case> cases;
};

// The rows, each beside its cases.
Bench engine_bench();
Bench machines_bench();
Bench gp_bench();
Bench svm_bench();
Bench strings_bench();
Bench graphs_bench();
Bench nodes_bench();
Bench clusters_bench();
Bench pool_bench();
Bench solvers_bench();
Bench large_bench();

// The numbers of a file, and those of a file as one column.
Matrix numbers(const std::string& path);
Vector column(const std::string& path);

}  // namespace mercer::bench
