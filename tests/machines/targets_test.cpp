// Targets of any size: a machine fits them right, or says in one line that it does not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::targets_test {
namespace {

constexpr Index kPoints = 40;

Training training(double scale) {
  Matrix x(kPoints, 1), y(kPoints, 1);
  for (Index i = 0; i < kPoints; ++i) {
    x(i, 0) = static_cast<double>(i) / 4;
    y(i, 0) = scale * (std::sin(x(i, 0)) + 0.01 * std::cos(37.0 * static_cast<double>(i)));
  }
  return {.K = lazy(rbf(1), rows(x)), .y = y, .how = {.threads = 1}};
}

std::vector<const Machine*> regression_machines() {
  std::vector<const Machine*> out;
  for (const Machine& row : machines()) {
    if (row.task == Task::regression) out.push_back(&row);
  }
  return out;
}

TEST(Targets, OutOfRangeAreRefusedByName) {
  ASSERT_GE(regression_machines().size(), 9u);
  for (const Machine* row : regression_machines()) {
    for (const double scale : {1e101, 1e160, 1e300}) {
      test::expect_error([&] { fit(row->name, {}, training(scale)); }, "DataError",
                         {row->name, "target 1 is ", "may be up to 1e+100", "divide"});
    }
    for (const double scale : {1e-101, 1e-300}) {
      test::expect_error([&] { fit(row->name, {}, training(scale)); }, "DataError",
                         {row->name, "target 1 is ", "at least 1e-100", "multiply"});
    }
  }
}

TEST(Targets, InRangeGiveModelsThatCanBeReadAgain) {
  // These have a price or a width in the units of the target.
  const std::set<std::string> with_units = {"svr", "nusvr", "linear_svr", "rrm", "gd"};
  for (const Machine* row : regression_machines()) {
    const Training plain = training(1);
    const Model at_home = fit(row->name, {}, plain);
    const Vector expected = at_home.predict(*plain.K.points());
    for (const double scale : {0x1p+328, 0x1p-328, 2.0, 1e90}) {  // the first are about 1e99 and 1e-99
      SCOPED_TRACE(row->name + " at " + std::to_string(std::log10(scale)));
      const Model model = fit(row->name, {}, training(scale));
      std::stringstream file;
      save(file, model);
      const Vector got = load_bytes(file.str(), "a model").predict(*plain.K.points());
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_TRUE(std::isfinite(got[i]));
        if (!with_units.contains(row->name)) {
          ASSERT_NEAR(got[i] / scale, expected[i], 1e-9);
        }
      }
      if (!at_home.has_posterior()) continue;
      const Matrix before = at_home.variances(*plain.K.points()), now = model.variances(*plain.K.points());
      // Powers of two round nothing. Elsewhere targets differ in their last digit, and the evidence, in which that
      // counts for 1e-8, is that flat around its maximum: parameters, and variances with them, may end 5e-5 apart.
      const double near = std::exp2(std::ilogb(scale)) == scale ? 1e-9 : 1e-4;
      for (Index i = 0; i < now.rows(); ++i) ASSERT_NEAR(now(i, 0) / scale / scale / before(i, 0), 1, near);
      if (row->name != "gp") continue;
      const auto evidence = [](const Model& m) { return m.report().figure("log_marginal_likelihood").value(); };
      ASSERT_NEAR(evidence(model) + kPoints * std::log(scale), evidence(at_home), 1e-6);
    }
  }
}

// Nothing is learnt: what 1e90 rounds is all there is.
TEST(Targets, OfAnySizeHaveTheSameVariancesWhereParametersAreGiven) {
  const auto fitted = [](double scale) {
    const Settings given = {{"objective", "none"},
                            {"noise", fmt::format("{}", 1e-4 * scale * scale)},
                            {"signal", fmt::format("{}", 2 * scale * scale)}};
    return fit("gp", given, training(scale));
  };
  const Points x = *training(1).K.points();
  const Matrix expected = fitted(1).variances(x);
  for (const double scale : {0x1p+328, 0x1p-328, 3.0, 1e90, 1e-90}) {
    const Matrix got = fitted(scale).variances(x);
    for (Index i = 0; i < kPoints; ++i) ASSERT_NEAR(got(i, 0) / scale / scale / expected(i, 0), 1, 1e-9) << scale;
  }
}

// So do the derivatives of the evidence by the logarithms of noise and signal; the square of the signal itself would
// overflow.
TEST(Targets, OfAnySizeHaveTheSameSlopeOfTheEvidence) {
  const auto slope = [](double scale, bool known) {
    const double unit = scale * scale, noise = 1e-3 * unit, signal = 2 * unit;
    GaussianProcess gp{.noise = {.value = noise}, .signal = {.value = signal}};
    if (known) gp.point_noise = Vector(std::size_t{kPoints}, 1e-3 * unit);
    const Evidence at = log_marginal_likelihood(gp, training(scale));
    return Vector{at.by_noise * noise, at.by_signal * signal, at.by_kernel.at(0)};
  };
  for (const bool known : {false, true}) {
    const Vector expected = slope(1, known);
    for (const double scale : {0x1p+328, 0x1p-328, 1e90, 1e-90}) {
      SCOPED_TRACE(std::to_string(std::log10(scale)) + (known ? ", known noise" : ""));
      const Vector found = slope(scale, known);
      for (std::size_t p = 0; p < 3; ++p) EXPECT_NEAR(found[p], expected[p], 1e-9 * std::abs(expected[1])) << p;
    }
  }
}

TEST(Targets, SmallOnesAmongOthersAndZerosAreFine) {
  Training mixed = training(1);
  mixed.y(3, 0) = 1e-300;
  EXPECT_NO_THROW(fit("ridge", {}, mixed));
  mixed.y = Matrix(kPoints, 1);
  EXPECT_NO_THROW(fit("ridge", {}, mixed));
}

}  // namespace
}  // namespace mercer::targets_test
