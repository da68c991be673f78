// Targets of any size: a machine fits them right, or says in one line that it does not.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
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
      // Powers of two round nothing. Otherwise what is learnt ends elsewhere within its tolerance, 1e-7 of the
      // objective for each point, and variances are no closer than the root of that.
      const double near = std::exp2(std::ilogb(scale)) == scale ? 1e-9 : std::sqrt(1e-7);
      for (Index i = 0; i < now.rows(); ++i) ASSERT_NEAR(now(i, 0) / scale / scale / before(i, 0), 1, near);
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
