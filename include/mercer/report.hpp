// mercer/report.hpp: how a fit went. Nothing approximates or gives up silently: it is said here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/matrix.hpp"
#include "mercer/plan.hpp"

namespace mercer {

struct Report {
  struct Figure {
    std::string name;  // "objective", "gap", "ridge", "leave_one_out_rmse", ...
    double value = 0;
    friend bool operator==(const Figure&, const Figure&) = default;
  };
  // Figures that come in rows: a path of ridges, a course of gradient descent.
  struct Table {
    std::string name;
    std::vector<std::string> columns;
    Matrix rows;
    friend bool operator==(const Table&, const Table&) = default;
  };

  bool converged = true;
  std::string
      stopped;  // why it ended: "optimal to the tolerance", "time limit", "interrupted"; empty for direct solvers
  Index iterations = 0;
  double seconds = 0;
  std::vector<Figure> figures;
  std::vector<std::string> notes;  // what a reader should know: a singular matrix, jitter, duplicates
  std::vector<Table> tables;
  // Where the seconds went: "prepare" (points brought into the form the loops want), "rows" (values of the kernel),
  // "gradient", "certificate" (what proves the solution), "solve" (all else). They add up to `seconds`.
  std::vector<Figure> stages = {};
  std::string chosen = {};        // what was chosen for the user, by which criterion and over what (mercer/choose.hpp)
  std::optional<Plan> plan = {};  // how K was held and solved; none of models that were fitted before there were plans

  void add(std::string name, double value) { figures.push_back({std::move(name), value}); }
  std::optional<double> figure(std::string_view name) const;
  const Table* table(std::string_view name) const;
  std::string str() const;  // several lines, for people

  friend bool operator==(const Report&, const Report&) = default;
};

}  // namespace mercer
