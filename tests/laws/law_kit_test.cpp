// The laws of machines notice what is broken: each fault here is that of a machine of one's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/error.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/testing.hpp"

namespace mercer::law_kit_test {
namespace {

using Strings = std::vector<std::string>;
using Fit = std::function<Model(const Settings&, const Training&)>;

// Ridge regression as somebody else would write it.
Machine own_machine(Fit fit) {
  Machine row;
  row.name = "own";
  row.task = Task::regression;
  row.fit = std::move(fit);
  return row;
}

Model ridge(const Training& training, double price = 0.1) { return KernelRidge{.ridge = price}.fit(training); }

Model with_alpha_times(const Model& m, double factor) {
  return m.with([&](Model::Parts& parts) {
    Expansion::Parts f = parts.f.parts();
    for (Index i = 0; i < f.alpha.rows() * f.alpha.cols(); ++i) f.alpha.data()[i] *= factor;
    parts.f = Expansion(std::move(f));
  });
}

Training of_points(const Training& t, const std::vector<Index>& which) {
  Training out = t;
  out.K = select(t.K, which);
  out.y = Matrix(static_cast<Index>(which.size()), t.y.cols());
  out.weights.clear();
  for (std::size_t i = 0; i < which.size(); ++i) {
    std::copy_n(t.y.row(which[i]), t.y.cols(), out.y.row(static_cast<Index>(i)));
    if (!t.weights.empty()) out.weights.push_back(t.weights[static_cast<std::size_t>(which[i])]);
  }
  return out;
}

void expect_broken(const Machine& machine, const Strings& laws) {
  const Strings broken = testing::broken_machine_laws(machine);
  for (const std::string& law : laws) {
    EXPECT_TRUE(std::any_of(broken.begin(), broken.end(), [&](const auto& b) { return b.find(law) != b.npos; }))
        << "not noticed: " << law << "; " << ::testing::PrintToString(broken);
  }
}

TEST(LawKit, ASoundMachineOfOnesOwn) {
  const Machine own = own_machine([](const Settings&, const Training& t) { return ridge(t); });
  EXPECT_EQ(testing::broken_machine_laws(own), Strings{});
  EXPECT_EQ(testing::broken_input_laws(own), Strings{});
}

TEST(LawKit, WeightsThatAreIgnored) {
  Machine own = own_machine([](const Settings&, const Training& t) {
    Training plain = t;
    plain.weights.clear();
    return ridge(plain);
  });
  expect_broken(own, {"weights are multiplicities", "weight 0 is absent", "is a support point"});
  own.exceptions = {{Exception::Law::weights, "they are ignored"}};
  for (const std::string& broken : testing::broken_machine_laws(own)) {
    EXPECT_EQ(broken.find("multiplicities"), std::string::npos) << broken;
  }
}

TEST(LawKit, OrderThatMatters) {
  expect_broken(own_machine([](const Settings&, const Training& t) {
                  std::vector<Index> all_but_the_last(static_cast<std::size_t>(std::max<Index>(1, t.K.size() - 1)));
                  std::iota(all_but_the_last.begin(), all_but_the_last.end(), Index{0});
                  return ridge(of_points(t, all_but_the_last));
                }),
                {"order of the points"});
}

TEST(LawKit, StorageThatMatters) {
  expect_broken(
      own_machine([](const Settings&, const Training& t) { return ridge(t, t.K.dense().empty() ? 0.1 : 0.2); }),
      {"how K is kept", "numbers are as good"});
}

TEST(LawKit, ThreadsThatShow) {
  expect_broken(own_machine([](const Settings&, const Training& t) {
                  return with_alpha_times(ridge(t), 1 + 1e-12 * t.how.threads);
                }),
                {"threads and monitors"});
}

TEST(LawKit, AModelThatIsNotFinite) {
  expect_broken(
      own_machine([](const Settings&, const Training& t) { return with_alpha_times(ridge(t), std::nan("")); }),
      {"it is sound"});
}

TEST(LawKit, WaysNotToStop) {
  const auto deaf = [](const Training& t) {
    Training silent = t;
    silent.how.monitor = {};
    return silent;
  };
  expect_broken(own_machine([&](const Settings&, const Training& t) { return ridge(deaf(t)); }), {"never reports"});
  // It ends early, and claims to be done.
  expect_broken(own_machine([&](const Settings&, const Training& t) {
                  try {
                    return ridge(t);
                  } catch (const Error&) {
                    return with_alpha_times(ridge(deaf(t)), 0.5);
                  }
                }),
                {"it stops when told: told at report 0"});
  Machine throws = own_machine([](const Settings&, const Training& t) { return ridge(t); });
  throws.iterative = true;
  expect_broken(throws, {"never returns what it has"});
}

TEST(LawKit, InputThatIsNotLookedAt) {
  Machine own = own_machine([](const Settings& settings, const Training& t) {
    const auto price = settings.find("ridge");
    return ridge(t, price == settings.end() ? 0.1 : std::max(1e-3, std::atof(price->second.c_str())));
  });
  own.options = {{"ridge", "0.1", "The price of |f|^2"}};
  const Strings broken = testing::broken_input_laws(own);
  for (const char* law : {"ridge = what?: is accepted"}) {
    EXPECT_TRUE(std::any_of(broken.begin(), broken.end(), [&](const auto& b) { return b.find(law) != b.npos; }))
        << ::testing::PrintToString(broken);
  }
}

}  // namespace
}  // namespace mercer::law_kit_test
