// Real files, where they are at hand: set MERCER_DATA to their folder.
#include <cmath>
#include <set>

#include "io/files.hpp"

namespace mercer::shared_data_test {
namespace {

using namespace io_test;

#define REQUIRE_SHARED(path, name)            \
  const std::string path = shared_file(name); \
  if (path.empty()) GTEST_SKIP() << name << " is not on this machine"

std::size_t classes(const Dataset& d) {
  const std::vector<std::string> target = d.target();
  return std::set<std::string>(target.begin(), target.end()).size();
}

TEST(SharedData, Mnist) {
  REQUIRE_SHARED(images, "mnist/t10k-images-idx3-ubyte.gz");
  const Points x = read_data(images).points;
  EXPECT_EQ(x.size(), 10000);
  EXPECT_EQ(x.domain(), (Domain{"reals", 784}));
  REQUIRE_SHARED(labels, "mnist/t10k-labels-idx1-ubyte.gz");
  EXPECT_EQ(numbers(read_data(labels).points.slice({0, 3})), (Matrix{{7}, {2}, {1}}));
}

TEST(SharedData, LibsvmWithoutEnding) {
  REQUIRE_SHARED(train, "w8a/w8a.gz");
  const Dataset d = read_data(train);
  EXPECT_EQ(d.points.size(), 49749);
  EXPECT_EQ(d.points.domain(), (Domain{"reals", 300}));
  EXPECT_EQ(std::count(d.target_numbers.begin(), d.target_numbers.end(), 1), 1479);
  REQUIRE_SHARED(test, "a9a/a9a.t.gz");
  EXPECT_EQ(read_data(test, {.columns = 123}).points.domain(), (Domain{"reals", 123}));
}

TEST(SharedData, Iris) {
  REQUIRE_SHARED(path, "small_classification/iris.csv.gz");
  const Dataset d = read_data(path, {.target = "5"});
  EXPECT_EQ(d.points.size(), 150);
  EXPECT_EQ(d.points.domain(), (Domain{"reals", 4}));
  EXPECT_EQ(classes(d), 3u);
}

TEST(SharedData, HeadersAndDates) {
  REQUIRE_SHARED(path, "co2/mauna_loa_scripps_monthly_1958_2020.csv");
  const Dataset d = read_data(path, {.target = "CO2"});
  EXPECT_EQ(d.points.size(), 741);
  EXPECT_EQ(d.points.column_names(), (std::vector<std::string>{"Date", "adjusted CO2"}));
  EXPECT_EQ(d.target_numbers[0], 315.70);
}

TEST(SharedData, MissingValues) {
  REQUIRE_SHARED(path, "co2/mauna_loa_keeling_weekly_1958_2001.csv");
  const std::string error = error_of([&] { read_data(path); });
  EXPECT_NE(error.find("in all, 59 values are missing from 1 column"), std::string::npos) << error;
}

TEST(SharedData, RowNames) {
  REQUIRE_SHARED(path, "distance_matrices/us_cities/us_cities_10.csv");
  const Dataset d = read_data(path);
  EXPECT_EQ(d.points.size(), 10);
  EXPECT_EQ(texts(d.points.columns("x1"))[1], "Chicago");
}

TEST(SharedData, TextWithStrayQuotes) {
  REQUIRE_SHARED(path, "strings/sms_spam/sms_spam.tsv.gz");
  const Dataset d = read_data(path, {.target = "1"});
  EXPECT_EQ(d.points.size(), 5574);
  EXPECT_EQ(classes(d), 2u);
}

}  // namespace
}  // namespace mercer::shared_data_test
