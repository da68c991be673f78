// Data to fit, and the bits of what was fitted, for fits whose rows come in other ways than one process's memory.
#pragma once

#include <cmath>
#include <sstream>
#include <string>

#include "mercer/model_file.hpp"

namespace mercer::workflow_test {

// Inputs a, b, c, a weight w and two targets y and z, the second of few numbers where it is to be classes; every fifth
// row is there twice, some weigh nothing.
inline std::string lines(Index first, Index end, bool classes = false) {
  std::ostringstream out;
  out.precision(17);
  out << "a,b,c,w,y,z\n";
  for (Index i = first; i < end; ++i) {
    const auto t = static_cast<double>(i % 5 == 4 ? i - 1 : i);
    const double a = std::sin(1.7 * t), b = 100 + 30 * std::cos(0.3 * t * t), c = std::fmod(t, 11.0);
    out << a << ',' << b << ',' << c << ',' << i % 3 << ',' << a * c + 0.01 * std::sin(static_cast<double>(i)) << ','
        << (!classes    ? b / 100
            : a * c > 2 ? 1
            : b > 100   ? 2
                        : 3)
        << '\n';
  }
  return out.str();
}

// All bits of a model but its plan and the time it took.
inline std::string bits(const Model& model) {
  std::ostringstream out;
  save(out, model.with([](Model::Parts& parts) {
    parts.report.seconds = 0;
    parts.report.stages.clear();
    parts.report.plan.reset();
    parts.provenance.source.clear();
    parts.provenance.sha256.clear();
  }));
  return out.str();
}

}  // namespace mercer::workflow_test
