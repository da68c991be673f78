// mercer demo: that what it shows is there, and agrees with what it leaves behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "cli/command.hpp"
#include "mercer/kernels.hpp"
#include "mercer/model_file.hpp"
#include "paths.hpp"

namespace mercer::demo_test {
namespace {

using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;
using io_test::content_of;
using io_test::numbers;

using Words = std::vector<std::string>;

const std::string kData = MERCER_TEST_DATA;

class DemoTest : public cli_test::CommandTest {
 protected:
  // A hundred columns, no complaint.
  void expect_page(const Outcome& got, const Words& parts) {
    EXPECT_EQ(got.code, 0) << got;
    EXPECT_EQ(got.err, "");
    for (const std::string& part : parts) EXPECT_TRUE(has(got.out, part)) << part << "\n" << got;
    std::size_t width = 0;
    for (const char c : got.out) {
      if (c == '\n') {
        EXPECT_LE(width, 100u) << got;
        width = 0;
      } else {
        width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      }
    }
  }
  // Every line after "Try next" that is a command.
  void expect_suggestions_work(const std::string& text, int expected) {
    std::string list = text.substr(text.find('\n', text.find("Try next")) + 1);
    const std::string bin = std::filesystem::path(MERCER_TEST_COMMAND).parent_path();
    int count = 0;
    for (std::size_t end; (end = list.find('\n')) != std::string::npos; list.erase(0, end + 1)) {
      const std::string line = list.substr(0, end);
      if (!line.starts_with("  ")) continue;
      ++count;
      const Outcome got =
          shell("PATH=" + bin + ":$PATH && cd " + results_.path("") + " && ln -sfn " + kData + " data && " + line);
      EXPECT_LE(got.code, 1) << line << "\n" << got;
      EXPECT_FALSE(has(got.err, "Error")) << line << "\n" << got;
    }
    EXPECT_EQ(count, expected);
  }
};

TEST_F(DemoTest, TheList) {
  const Outcome list = run({"demo", "--list"});
  expect_page(list, {"co2 ", "cities ", "kernel ", "sinc ", "two-moons ", "prior "});
  EXPECT_EQ(json_of({"demo", "--list"}), (Json{"co2", "cities", "kernel", "sinc", "two-moons", "gallery", "prior"}));
  expect_error(run({"demo", "co3"}), 2, "did you mean co2?");
  expect_error(run({"demo", "twomoons"}), 2, "did you mean two-moons?");
  expect_error(run({"demo", "sinc", "-o", "."}), 2, "writes no files");
}

TEST_F(DemoTest, Cities) {
  const Outcome got = shell("cd " + results_.path("") + " && " + MERCER_TEST_COMMAND + " demo cities");
  expect_page(got, {"45 distances", "Seattle", "99.5 % of the inertia", "959 miles, 980 on the map", "cities.svg"});
  const std::string svg = content_of(results_.path("cities.svg"));
  for (const char* const name : {"Atlanta", "Los Angeles", "Washington DC", "500 miles", "</svg>"}) {
    EXPECT_TRUE(has(svg, name)) << name;
  }
  expect_suggestions_work(got.out, 3);
  // As on a map: the west to the left, the north above.
  const Json cities = json_of({"demo", "cities", "-o", results_.path("")})["cities"];
  const auto place = [&](const std::string& name) {
    for (const Json& city : cities) {
      if (city["name"] == name) return std::pair(city["east"].number(), city["north"].number());
    }
    ADD_FAILURE() << name;
    return std::pair<double, double>();
  };
  for (const char* const west : {"Seattle", "San Francisco", "Los Angeles"}) {
    for (const char* const east : {"New York", "Miami", "Washington DC"}) {
      EXPECT_LT(place(west).first + 1500, place(east).first);
    }
  }
  EXPECT_GT(place("Seattle").second, place("Los Angeles").second + 500);
  EXPECT_GT(place("New York").second, place("Miami").second + 500);
  files_.file("cities.svg", "mine\n");
  expect_error(run({"demo", "cities", "-o", files_.path("")}), 1, "not from this demo");
}

TEST_F(DemoTest, Kernel) {
  const Outcome got = run({"demo", "kernel"});
  expect_page(got, {"Schur 1911", "seasonal cycle", "not a kernel", "1 month ", "6 months", "1 year ", "5 years"});
  expect_suggestions_work(got.out, 3);
  const Json json = json_of({"demo", "kernel"});
  // The seasonal cycle is what it was a year ago.
  EXPECT_GT(json["components"][1]["correlations"][2].number(), 0.999);
}

TEST_F(DemoTest, TwoMoons) {
  const Outcome got = run({"demo", "two-moons"});
  expect_page(got, {"svc", "perceptron", "logistic", "░"});
  expect_suggestions_work(got.out, 3);
  const Json json = json_of({"demo", "two-moons"});
  ASSERT_EQ(json["machines"].size(), 3u);
  for (const Json& machine : json["machines"]) EXPECT_GT(machine["accuracy"].get<double>(), 0.9) << machine;
  EXPECT_LT(json["machines"][0]["centres"].number(), json["machines"][2]["centres"].number());
}

TEST_F(DemoTest, Prior) {
  const Outcome got = run({"demo", "prior"});
  Words examples;
  for (const CatalogRow& row : catalog()) {
    if (!row.is_rule && (row.domain == "reals" || row.domain == "any") && !row.example.empty() &&
        row.name != "assume_psd" && row.name != "coregion") {  // whose tasks are no line
      examples.push_back(row.example);
    }
  }
  expect_page(got, examples);
  expect_suggestions_work(got.out, 2);
  const Json json = json_of({"demo", "prior"});
  EXPECT_EQ(json["draws"].size(), examples.size());
  for (const Json& draw : json["draws"]) EXPECT_GT(draw["values"].size(), 40u);
}

TEST_F(DemoTest, Sinc) {
  const Outcome got = run({"demo", "sinc"});
  expect_page(got, {"ridge", "svr", "gp", "rvm", "░"});
  expect_suggestions_work(got.out, 3);
  const Json json = json_of({"demo", "sinc"});
  ASSERT_EQ(json["machines"].size(), 4u);
  for (const Json& machine : json["machines"]) EXPECT_LT(machine["rmse"].get<double>(), 0.08) << machine;
  EXPECT_NEAR(json["noise_std"].get<double>(), 0.1, 0.03);
  EXPECT_EQ(json["machines"][2]["centres"], 100);
  EXPECT_LT(json["machines"][3]["centres"].number(), 12);
  EXPECT_GT(json["machines"][2]["coverage_95"].number(), 0.7);
}

TEST_F(DemoTest, Co2) {
  const Outcome got = shell("cd " + results_.path("") + " && " + MERCER_TEST_COMMAND + " demo");
  expect_page(got,
              {"741 months", "trend", "season", "medium", "noise", "95 % band", "2014-2020", "Written: co2.mercer"});
  EXPECT_LE(std::count(got.out.begin(), got.out.end(), '\n'), 75);
  Words left = results_.list();
  std::sort(left.begin(), left.end());
  ASSERT_EQ(left, (Words{"co2.mercer", "co2_forecast.csv"}));

  // The forecast is what the model says, and its parts add up.
  const Model m = load(results_.path("co2.mercer"));
  EXPECT_TRUE(m.report().converged);
  const Points table = read_data(results_.path("co2_forecast.csv")).points;
  const Matrix said = numbers(table.columns("year:line_std"));
  ASSERT_EQ(said.rows(), 120);
  const Points years = table.columns("year");
  const Matrix mean = m.scores(years), variance = m.variances(years);
  for (Index i = 0; i < said.rows(); ++i) {
    EXPECT_NEAR(said(i, 1), mean(i, 0), 0.02);  // the file has the year to four digits
    EXPECT_NEAR(said(i, 2), std::sqrt(variance(i, 0) + m.posterior().noise[0]), 0.01);
    EXPECT_NEAR(said(i, 5) + said(i, 7) + said(i, 9) + said(i, 11) + said(i, 13), said(i, 1), 1e-3);
  }
  EXPECT_GT(said(119, 2), said(0, 2));
  EXPECT_GT(said(119, 1), 425);
  expect_suggestions_work(got.out, 3);

  // What is not its own it leaves alone.
  files_.file("co2_forecast.csv", "mine\n");
  expect_error(run({"demo", "-o", files_.path("")}), 1, "not from this demo");
  EXPECT_EQ(content_of(files_.path("co2_forecast.csv")), "mine\n");
  expect_error(run({"demo", "-o", files_.path("none")}), 1, "is no folder");
}

TEST_F(DemoTest, Co2IsStoppedByCtrlC) {
  const pid_t child = start({MERCER_TEST_COMMAND, "demo", "-o", results_.path("")});
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  kill(child, SIGINT);
  const Outcome got = finish(child);
  expect_error(got, 1, "stopped; no file was written");
  EXPECT_TRUE(results_.list().empty());
}

TEST_F(DemoTest, TheGalleryIsOnePageAndOverwritesNothingElse) {
  const Json json = json_of({"demo", "gallery", "-o", results_.path("")});
  EXPECT_EQ(json["sections"].size(), 8u);
  const std::string page = content_of(results_.path("gallery.html"));
  EXPECT_TRUE(has(page, R"("kind":"gallery")"));
  EXPECT_FALSE(has(page, R"("finding":"This picture could not be made)"));
  EXPECT_LT(page.size(), 2000000u);
  expect_page(run({"demo", "gallery", "-o", results_.path("")}), {"Ridge regression", "Try next"});  // over its own
  EXPECT_EQ(content_of(results_.path("gallery.html")), page);                                        // the same bytes
  files_.file("gallery.html", "<!doctype html>mine");
  expect_error(run({"demo", "gallery", "-o", files_.path("")}), 1, "not from this demo");
}

TEST_F(DemoTest, SlowCo2ForPrograms) {
  const Json json = json_of({"demo", "co2", "-o", results_.path("")});
  EXPECT_EQ(json["months"], 741);
  ASSERT_EQ(json["hindcasts"].size(), 3u);
  const Json& linear = json["hindcasts"][2];
  EXPECT_EQ(linear["mean"], "linear");
  EXPECT_EQ(linear["test"]["months"], 196);
  EXPECT_GT(linear["test"]["coverage_95"].get<double>(), 0.8);
  EXPECT_LT(linear["test"]["rmse"].get<double>(), 6);
  // The demo forecasts with the mean function that the months before the test prefer.
  for (const Json& other : json["hindcasts"]) {
    EXPECT_GE(linear["log_marginal_likelihood"].get<double>(), other["log_marginal_likelihood"].get<double>());
  }
  EXPECT_EQ(json["model"]["report"]["converged"], true);
  EXPECT_EQ(json["forecast"]["mean"].size(), 120u);
  EXPECT_EQ(run({"demo", "-o", results_.path("")}).code, 0);  // over its own files it may write
}

}  // namespace
}  // namespace mercer::demo_test
