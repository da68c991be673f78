// The discrete choices inside a kernel.
#include <gtest/gtest.h>

#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::options_test {
namespace {

using test::expect_error;

TEST(KernelOptions, HaveThePathsOfParameters) {
  const Kernel k = parse("2*on(a, spectrum(k=3)) + on(b, spectrum(k=5))*on(c, matern(nu=2.5))");
  EXPECT_EQ(k.options(), (std::vector<KernelOption>{{"spectrum.k", "3"},
                                                    {"spectrum.alphabet", "bytes"},
                                                    {"spectrum.reverse_complement", "no"},
                                                    {"spectrum2.k", "5"},
                                                    {"spectrum2.alphabet", "bytes"},
                                                    {"spectrum2.reverse_complement", "no"},
                                                    {"matern.nu", "2.5"}}));
  EXPECT_EQ(k.with_option("nu", "1.5").str(),
            "2*on(a, spectrum(k=3)) + on(b, spectrum(k=5))*on(c, matern(nu=1.5, ell=1))");
  EXPECT_EQ(k.with_option("spectrum2.k", "4").options()[3].value, "4");
  EXPECT_EQ(spectrum(3).with_option("alphabet", "dna").str(), "spectrum(k=3, alphabet=dna)");
  EXPECT_TRUE(rbf(1).options().empty());
}

TEST(KernelOptions, AreCheckedLikeAnyOther) {
  const Kernel k = parse("on(a, spectrum(k=3)) + on(b, spectrum(k=5))");
  expect_error([&] { k.with_option("k", "4"); }, "UsageError", {"2 of them", "spectrum.k, ", "spectrum2.k"});
  expect_error([&] { k.with_option("h", "4"); }, "UsageError", {"spectrum.k, ", "spectrum2.k"});
  expect_error([&] { spectrum(3).with_option("k", "0"); }, "KernelError", {"whole number from 1"});
  expect_error([&] { spectrum(3).with_option("k", "few"); }, "UsageError", {"spectrum.k=few", "a number"});
  expect_error([&] { rbf(1).with_option("k", "1"); }, "UsageError", {"no options"});
}

}  // namespace
}  // namespace mercer::options_test
