#include "simd/count_lines.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "simd/targets.hpp"

namespace mercer::count_lines_test {
namespace {

using simd::Size;

// Sums of 16 bits are added up in doubles before they are full, as often as need be.
TEST(CountLines, SumsAreThoseOfPlainLoops) {
  std::mt19937_64 engine(3);
  for (const unsigned largest : {1u, 7u, 255u}) {
    for (const Size width : {64, 192, 1024}) {
      for (const Size count : {1, 2, 3, 300}) {
        std::vector<std::vector<std::uint8_t>> lines(count, std::vector<std::uint8_t>(width));
        std::vector<const std::uint8_t*> pointers;
        std::vector<std::uint16_t> factors;
        std::vector<double> expected(width), out(width, -1);
        for (Size p = 0; p < count; ++p) {
          factors.push_back(static_cast<std::uint16_t>(1 + engine() % (65535 / largest)));
          for (Size j = 0; j < width; ++j) {
            lines[p][j] = static_cast<std::uint8_t>(engine() % (largest + 1));
            expected[j] += static_cast<double>(factors[p]) * lines[p][j];
          }
          pointers.push_back(lines[p].data());
        }
        test::for_each_target([&] {
          simd::sum_count_lines(factors.data(), pointers.data(), count, largest, width, out.data());
          EXPECT_EQ(out, expected) << largest << " " << width << " " << count;
        });
      }
    }
  }
}

}  // namespace
}  // namespace mercer::count_lines_test
