// mercer test, align and represent.
#include "base/random.hpp"
#include "cli/command.hpp"
#include "mercer/kernels.hpp"
#include "mercer/statistics/independence.hpp"
#include "mercer/statistics/representatives.hpp"

namespace mercer::statistics_test {
namespace {

using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;

class StatisticsTest : public cli_test::CommandTest {
 protected:
  // Rows of normal numbers under a header.
  std::string sample(const std::string& name, const std::string& header, int rows, int columns, std::uint64_t seed,
                     double shift = 0) {
    Random random(seed);
    std::string content = header + "\n";
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) content += (j ? "," : "") + std::to_string(shift + random.normal());
      content += "\n";
    }
    return files_.file(name, content);
  }
};

TEST_F(StatisticsTest, TwoSamples) {
  const std::string a = sample("a.csv", "u,v", 40, 2, 1), b = sample("b.csv", "u,v", 30, 2, 2, 1.5);
  const Outcome got = run({"test", "mmd", a, b});
  EXPECT_EQ(got.code, 0) << got;
  for (const char* part : {"statistic", "rejected at the level 0.05", "20 together", "2000 permutations, seed 1",
                           "40 and 30 rows", "both files together"}) {
    EXPECT_TRUE(has(got.out, part)) << part << got;
  }
  const Json json = json_of({"test", "mmd", a, b, "--kernel", "rbf(ell=1)", "--resamples", "99", "--seed", "7"});
  EXPECT_TRUE(json["rejected"].boolean());
  EXPECT_EQ(json["p"], 0.01);
  EXPECT_EQ(json["resamples"], 99);
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["kernels"][0]["kernel"], "rbf(ell=1)");
  EXPECT_GT(json_of({"test", "mmd", a, sample("c.csv", "u,v", 30, 2, 3)})["p"].number(), 0.05);
  EXPECT_GT(json_of({"test", "mmd", a, a})["p"].number(), 0.5);
}

// What is asked for is what the library is asked.
TEST_F(StatisticsTest, TheStatisticAndTheMethodAreThoseAskedFor) {
  const std::string data = sample("x.csv", "u,v", 30, 2, 5);
  const Points both = read_data(data).points;
  const Gram K = lazy(rbf(1), both.columns(Columns(1))), L = lazy(rbf(0.5), both.columns(Columns(2)));
  for (const auto& [word, estimate] : {std::pair("unbiased", Estimate::unbiased), {"biased", Estimate::biased}}) {
    const Json got = json_of({"test", "hsic", data, "--scale", "none", "--kernel-x", "rbf(ell=1)", "--kernel-y",
                              "rbf(ell=0.5)", "--statistic", word, "--resamples", "19"});
    EXPECT_NEAR(got["statistic"].get<double>(), hsic(K, L, estimate), 1e-12) << word;
  }
  const Gram all = lazy(rbf(1), both);
  const auto rows = [&](const std::vector<std::string>& words) {
    std::vector<std::string> line = {"represent",
                                     data,
                                     "--count",
                                     "6",
                                     "--scale",
                                     "none",
                                     "--kernel",
                                     "rbf(ell=1)",
                                     "--numbers",
                                     "-o",
                                     results_.path("rows.csv")};
    line.insert(line.end(), words.begin(), words.end());
    EXPECT_EQ(run(line).code, 0);
    const Matrix numbers = matrix_in(results_.path("rows.csv"));
    std::vector<Index> out;
    for (Index i = 0; i < numbers.rows(); ++i) out.push_back(static_cast<Index>(numbers(i, 0)) - 1);
    return out;
  };
  EXPECT_EQ(rows({"--method", "herding"}), Herding{.count = 6}.choose(all));
  EXPECT_EQ(rows({}), Thinning{.count = 6}.choose(all));
  EXPECT_EQ(rows({"--method", "thinning", "--seed", "7"}), (Thinning{.count = 6, .seed = 7}.choose(all)));
  EXPECT_NE(rows({}), rows({"--seed", "7"}));
}

TEST_F(StatisticsTest, ColumnsMeetByName) {
  const std::string a = files_.file("a.csv", "x1,x2\n0,10\n1,11\n2,10\n0,12\n1,13\n");
  const std::string b = files_.file("b.csv", "x2,x1\n10,0\n11,1\n10,2\n12,0\n13,1\n");
  EXPECT_EQ(json_of({"test", "mmd", a, b, "--kernel", "rbf(ell=1)", "--statistic", "biased"})["statistic"], 0);
  const std::string c = files_.file("c.csv", "x1,dose\n0,10\n1,11\n2,10\n");
  expect_error(run({"test", "mmd", a, c}), 1, "x2 missing, dose too many");
  const std::string wide = files_.file("w.csv", "x1,x2,y\n0,10,3\n1,11,4\n2,10,5\n");
  EXPECT_EQ(run({"test", "mmd", wide, a, "--target", "y"}).code, 0);
}

TEST_F(StatisticsTest, TwoSamplesOfTextsAndOtherStatistics) {
  std::string first, second;
  for (int i = 0; i < 8; ++i) {
    first += std::string("abab") + static_cast<char>('a' + i % 3) + "\n";
    second += std::string("cdcd") + static_cast<char>('c' + i % 3) + "\n";
  }
  const std::string a = files_.file("a.txt", first), b = files_.file("b.txt", second);
  const Json several = json_of(
      {"test", "mmd", a, b, "--header", "no", "--kernel", "normalize(spectrum(k=1)); normalize(spectrum(k=2))"});
  EXPECT_TRUE(several["rejected"].boolean());
  EXPECT_EQ(several["kernels"].size(), 2u);
  expect_error(run({"test", "mmd", a, b, "--header", "no"}), 1, "give a kernel");
  const std::string x = sample("x.csv", "u", 300, 1, 1), y = sample("y.csv", "u", 300, 1, 2, 1);
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--statistic", "linear", "--kernel", "rbf(ell=auto)"}, {"--null", "signs"}, {"--statistic", "biased"}}) {
    std::vector<std::string> words = {"test", "mmd", x, y, "--resamples", "99"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_TRUE(json_of(words)["rejected"].boolean()) << more[0];
  }
}

TEST_F(StatisticsTest, BadInput) {
  const std::string a = sample("a.csv", "u,v", 10, 2, 1), one = files_.file("one.csv", "u,v\n1,2\n");
  expect_error(run({"test", "mmd", one, a}), 1, "first sample has 1 point");
  expect_error(run({"test", "mmd", a, a, "--resamples", "10"}), 2, "at least 19");
  expect_error(run({"test", "mmd", a, a, "--alpha", "2"}), 2, "--alpha");
  expect_error(run({"test", "mmd", a, a, "--statistic", "lineal"}), 2, "biased");
  expect_error(run({"test", "mdd", a, a}), 2, "did you mean mmd?");
  expect_error(run({"test", "mmd", "-", "-"}), 2, "standard input");
  const std::string same = files_.file("same.csv", "u,v\n1,2\n1,2\n1,2\n");
  expect_error(run({"test", "mmd", same, same}), 1, "equal");
  const std::string hole = files_.file("hole.csv", "u,v\n1,2\nnan,2\n1,3\n");
  expect_error(run({"test", "mmd", a, hole}), 1, "row 2");
  EXPECT_TRUE(has(run({"test", "mmd", files_.file("2.csv", "u\n1\n2\n"), files_.file("3.csv", "u\n5\n9\n")}).err,
                  "cannot give a p below"));
}

TEST_F(StatisticsTest, Independence) {
  Random random(1);
  std::string content = "a,b,c,kind\n";
  for (int i = 0; i < 60; ++i) {
    const double a = random.normal();
    content += std::to_string(a) + "," + std::to_string(random.normal()) + "," +
               std::to_string(a * a + 0.2 * random.normal()) + "," + (a > 0 ? "high" : "low") + "\n";
  }
  const std::string data = files_.file("d.csv", content);
  EXPECT_TRUE(json_of({"test", "hsic", data, "--x", "a", "--y", "c"})["rejected"].boolean());
  EXPECT_FALSE(json_of({"test", "hsic", data, "--x", "b", "--y", "c"})["rejected"].boolean());
  const Json text = json_of({"test", "hsic", data, "--x", "a,b", "--y", "kind"});
  EXPECT_TRUE(text["rejected"].boolean());
  EXPECT_TRUE(has(text["kernels"][0]["kernel"].text(), "and equal()")) << text;
  EXPECT_TRUE(
      json_of({"test", "hsic", data, "--x", "a", "--y", "kind", "--kernel-y", "spectrum(k=2)"})["rejected"].boolean());
  EXPECT_EQ(
      json_of({"test", "hsic", data, "--x", "a", "--y", "c", "--kernel-x", "rbf(ell=1); rbf(ell=3)"})["kernels"].size(),
      2u);
  expect_error(run({"test", "hsic", data, "--x", "a,c", "--y", "c"}), 2, "on both sides");
  expect_error(run({"test", "hsic", data, "--x", "z", "--y", "c"}), 1, "no column \"z\"");
  expect_error(run({"test", "hsic", data, "--x", "a,kind", "--y", "c"}), 2, "--kernel-x");
}

TEST_F(StatisticsTest, Densities) {
  const std::string normal = sample("n.csv", "u,v", 60, 2, 1);
  std::string skew = "u\n", scores = "u\n";
  Random random(1);
  for (int i = 0; i < 60; ++i) skew += std::to_string(-std::log(random.uniform())) + "\n";
  EXPECT_FALSE(json_of({"test", "ksd", normal, "--normal", "--resamples", "99"})["rejected"].boolean());
  const std::string skewed = files_.file("s.csv", skew);
  EXPECT_TRUE(json_of({"test", "ksd", skewed, "--normal", "--resamples", "99"})["rejected"].boolean());
  const Matrix x = matrix_in(normal);
  std::string given = "u,v\n";
  for (Index i = 0; i < x.rows(); ++i) given += std::to_string(-x(i, 0)) + "," + std::to_string(-x(i, 1)) + "\n";
  EXPECT_FALSE(json_of({"test", "ksd", normal, "--scores", files_.file("g.csv", given)})["rejected"].boolean());
  expect_error(run({"test", "ksd", normal}), 2, "--normal, or --scores");
  expect_error(run({"test", "ksd", normal, "--scores", skewed}), 1, "60 x 1");
  expect_error(run({"test", "ksd", normal, "--normal", "--scale", "standard"}), 2, "--scale");
}

TEST_F(StatisticsTest, Alignment) {
  const std::string data = files_.file("d.csv", "x,kind\n0,a\n0.1,a\n0.2,a\n5,b\n5.1,b\n5.2,b\n");
  const Json got = json_of({"align", "rbf(ell=1); linear(); on(x, rbf(ell=0.01))", data});
  ASSERT_EQ(got["kernels"].size(), 3u);
  EXPECT_GT(got["kernels"][0]["target"].number(), 0.99);
  EXPECT_LT(got["kernels"][2]["target"].number(), 0.6);
  EXPECT_EQ(got["between"][1][1], 1.0);
  EXPECT_EQ(got["between"][0][1], got["between"][1][0]);
  const Outcome text = run({"align", "rbf(ell=1); linear()", data});
  EXPECT_TRUE(has(text.out, "kind") && has(text.out, "linear()")) << text;
  const std::string numbers = files_.file("n.csv", "x,y\n0,0\n1,1\n2,2\n3,0\n");
  EXPECT_NE(json_of({"align", "linear()", numbers})["kernels"][0]["target"],
            json_of({"align", "linear()", numbers, "--classes"})["kernels"][0]["target"]);
  expect_error(run({"align", "const(c=1)", data}), 1, "the same for all pairs");
  expect_error(run({"align", "linear(); lineal()", data}), 2, "did you mean linear");
}

TEST_F(StatisticsTest, Representatives) {
  const std::string data = files_.file("d.csv", "x,word\n0,\"a,1\"\n0.1,b\n-0.1,c\n3,d\n3.1,e\n");
  const std::string out = results_.path("few.csv");
  const Outcome got = run({"represent", data, "--target", "word", "--kernel", "rbf(ell=1)", "--method", "herding",
                           "--count", "2", "--scale", "none", "-o", out});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_EQ(cli_test::content_of(out), "x,word\n0,\"a,1\"\n3,d\n");
  EXPECT_EQ(run({"represent", data, "--target", "word", "--kernel", "rbf(ell=1)", "--method", "herding", "--count", "2",
                 "--scale", "none", "--numbers"})
                .out,
            "row\n1\n4\n");
  const std::string many = sample("m.csv", "u,v", 200, 2, 1);
  const Json summary = json_of({"represent", many, "--count", "20", "-o", out});
  EXPECT_LT(summary["distance"].number(), 0.1);
  EXPECT_EQ(matrix_in(out).rows(), 20);
  const std::string before = cli_test::content_of(out);
  json_of({"represent", many, "--count", "20", "-o", out, "--seed", "1", "--threads", "1"});
  EXPECT_EQ(cli_test::content_of(out), before);
  expect_error(run({"represent", many, "--count", "201"}), 1, "there are 200 rows");
  expect_error(run({"represent", many}), 2, "--count");
}

}  // namespace
}  // namespace mercer::statistics_test
