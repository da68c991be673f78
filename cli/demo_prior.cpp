// mercer demo prior: a draw of the Gaussian process of each kernel of the catalog that takes numbers.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/fail.hpp"
#include "chart.hpp"
#include "demo.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "output.hpp"

namespace mercer::cli {

namespace {

constexpr Index kPoints = 48;
constexpr double kReach = 3;
constexpr std::uint64_t kSeed = 4;

struct Draw {
  std::string kernel, formula, range;
  Vector values;
};

// A line through the inputs: the first column runs from `from` to kReach, the others, where the kernel wants more,
// are 1.
Points line(double from, Index dimension) {
  Matrix out(kPoints, dimension, 1.0);
  for (Index i = 0; i < kPoints; ++i) {
    out(i, 0) = from + (kReach - from) * static_cast<double>(i) / static_cast<double>(kPoints - 1);
  }
  return rows(std::move(out));
}

// Nothing for a kernel that takes no line of numbers at all, as those of tasks.
std::optional<Draw> draw_of(const CatalogRow& row, const Kernel& k, std::uint64_t seed) {
  const Index dimension = std::max<Index>(1, k.domain().dimension);
  Draw out{row.example, row.formula, fmt::format("-{0} to {0}", kReach), {}};
  for (const double from : {-kReach, 0.0}) {  // some are kernels on numbers >= 0 only
    try {
      const Matrix values = sample_prior(k, line(from, dimension), {.seed = seed});
      for (Index i = 0; i < values.rows(); ++i) out.values.push_back(values(i, 0));
      if (from == 0) out.range = fmt::format("0 to {}", kReach);
      return out;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::domain && error.kind() != ErrorKind::data) throw;
    }
  }
  return std::nullopt;
}

// What is rounding beside the other end is 0: min() is 0 at 0 but for the jitter of a draw.
std::string range_of(double low, double high) {
  const double rounding = 1e-6 * std::max(std::abs(low), std::abs(high));
  const auto end = [&](double v) { return std::abs(v) < rounding ? 0.0 : v; };
  return fmt::format("{:.3g} to {:.3g}", end(low), end(high));
}

}  // namespace

void demo_prior(const DemoWords& words) {
  std::vector<Draw> draws;
  for (const CatalogRow& row : catalog()) {
    if (row.is_rule || row.example.empty() || (row.domain != "reals" && row.domain != "any")) continue;
    const Kernel k = parse(row.example);
    // A formula that is only assumed to be a kernel may have no process.
    if (!assumptions(k.proof()).empty()) continue;
    if (std::optional<Draw> draw = draw_of(row, k, kSeed + draws.size())) draws.push_back(std::move(*draw));
  }
  if (words.as_json) {
    Json out{{"demo", "prior"}, {"seed", kSeed}, {"draws", Json::array()}};
    for (const Draw& draw : draws) {
      out["draws"].push_back({{"kernel", draw.kernel}, {"x", draw.range}, {"values", draw.values}});
    }
    return put_json(out);
  }
  std::vector<std::vector<std::string>> rows = {{"kernel", "f(x) for x from -3 to 3", "f ranges"}};
  for (const Draw& draw : draws) {
    const auto [low, high] = std::minmax_element(draw.values.begin(), draw.values.end());
    const std::string note = draw.range.starts_with('0') ? ", x from " + draw.range : "";
    rows.push_back({draw.kernel + note, sparkline(draw.values), range_of(*low, *high)});
  }
  std::string out =
      "A kernel is also a belief about functions: f(x) and f(y) are normal numbers with covariance k(x, y).\n"
      "One function drawn from each kernel of the catalog that takes numbers:\n\n";
  out += table(rows, 2);
  out +=
      "\nSums and products of kernels believe in sums and products of such functions. Try next:\n"
      "  mercer sample 'rbf(ell=2) + 0.3*periodic(period=1, ell=1)' --grid 0:10:200 --draws 3\n"
      "  mercer kernels matern\n";
  put(out);
}

}  // namespace mercer::cli
