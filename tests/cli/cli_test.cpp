// The real command on real files: what it prints where, its exit codes, and what it leaves behind.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "cli/command.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/io.hpp"
#include "mercer/kernel.hpp"
#include "paths.hpp"

namespace mercer::cli_test {
namespace {

using cli_test::CommandTest;
using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;
using io_test::content_of;
using io_test::gzip;
using io_test::numbers;

const std::string kData = MERCER_TEST_DATA;

class CliTest : public CommandTest {
 protected:
  // The same for `mercer gram`, which moreover leaves no file, and an older one as it was.
  void expect_gram_error(const std::string& kernel, const std::string& data, int code, const std::string& text,
                         const std::vector<std::string>& more = {}) {
    for (const std::string name : {"K.npy", "K.csv"}) {
      std::vector<std::string> words = {"gram", kernel, data, "-o", results_.path(name)};
      words.insert(words.end(), more.begin(), more.end());
      expect_error(run(words), code, text);
      EXPECT_TRUE(results_.list().empty()) << results_.list().front();
      results_.file(name, "older");
      expect_error(run(words), code, text);
      EXPECT_EQ(results_.list(), std::vector<std::string>{name});
      EXPECT_EQ(content_of(results_.path(name)), "older");
      std::filesystem::remove(results_.path(name));
    }
  }
};

// ---- the front ----

TEST_F(CliTest, HelpAndVersion) {
  const Outcome help = run({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  const Outcome version = run({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(has(version.out, "mercer 0.")) << version;
  for (const std::string verb : {"kernels", "explain", "check", "gram", "distances", "machines", "auto", "fit",
                                 "predict", "score", "tune", "sample", "convert", "demo"}) {
    EXPECT_TRUE(has(help.out, "mercer " + verb)) << verb;
    const Outcome got = run({verb, "--help"});
    EXPECT_EQ(got.code, 0) << got;
    EXPECT_EQ(got.err, "") << got;
    EXPECT_TRUE(has(got.out, "Usage: mercer " + verb) && has(got.out, "Examples:") && has(got.out, "--json")) << got;
    EXPECT_EQ(run({"help", verb}).out, got.out);
  }
  const Outcome nothing = run({});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_EQ(nothing.out, "");
  EXPECT_EQ(nothing.err, help.out);
}

TEST_F(CliTest, MistypedWordsGetASuggestion) {
  expect_error(run({"chek", "x"}), 2, "UsageError: there is no verb \"chek\"; did you mean check?");
  expect_error(run({"qqqqqqqqqqqq"}), 2, "see mercer --help");
  expect_error(run({"--verson"}), 2, "did you mean --version?");
  expect_error(run({"check", "x*y", "--sede", "3"}), 2, "check has no option --sede; did you mean --seed?");
  expect_error(run({"check", "--sede=3", "x*y"}), 2, "did you mean --seed?");
  expect_error(run({"check", "--sede", "3"}), 2, "did you mean --seed?");
  expect_error(run({"gram", "linear()", "a.csv", "--format", "cvs"}), 2, "did you mean csv?");
  expect_error(run({"check", "x*y", "--inputs", "nonegative"}), 2, "did you mean nonnegative?");
  expect_error(run({"kernels", "mattern"}), 2, "did you mean matern?");
}

TEST_F(CliTest, ArgumentsThatMakeNoSense) {
  expect_error(run({"explain"}), 2, "EXPR is required");
  expect_error(run({"gram", "linear()"}), 2, "DATA is required");
  expect_error(run({"explain", "linear()", "linear()"}), 2, "does not know what to do with");
  expect_error(run({"check", "x*y", "--seed", "many"}), 2, "--seed: \"many\" is not a whole number >= 0");
  expect_error(run({"check", "x*y", "--seed", "-3"}), 2, "\"-3\" is not a whole number >= 0");
  expect_error(run({"check", "x*y", "--tries", "0"}), 2, "--tries");
  expect_error(run({"check", "x*y", "--tries"}), 2, "--tries");
  expect_error(run({"gram", "linear()", "a.csv", "--threads", "0"}), 2, "--threads");
  expect_error(run({"gram", "linear()", "a.csv", "--json"}), 2, "add -o");
  expect_error(run({"gram", "linear()", "a.csv", "-o", "K.txt"}), 2, "neither .npy nor .csv");
  expect_error(run({"gram", "linear()", "-", "--with", "-"}), 2, "only one");
  expect_error(run({"kernels", "rbf", "--markdown"}), 2, "--markdown");
}

// ---- kernels, explain ----

TEST_F(CliTest, Kernels) {
  const Outcome all = run({"kernels"});
  EXPECT_EQ(all.code, 0);
  for (const std::string part :
       {"rbf(ell=1)", "spectrum(k=3", "strings", "exp(-|x-y|^2 / (2 ell^2))", "on(columns, k)"}) {
    EXPECT_TRUE(has(all.out, part)) << part << "\n" << all;
  }
  const Outcome one = run({"kernels", "rbf"});
  EXPECT_EQ(one.code, 0);
  for (const std::string part : {"ell > 0", "Schoenberg 1938", "rbf(ell=0.5)", "rbf.ell"}) {
    EXPECT_TRUE(has(one.out, part)) << part << "\n" << one;
  }
  EXPECT_EQ(run({"kernels", "+"}).out, run({"kernels", "sum"}).out);
  const Outcome markdown = run({"kernels", "--markdown"});
  EXPECT_EQ(markdown.code, 0);
  EXPECT_EQ(markdown.out.rfind("<!-- Generated by", 0), 0u);
  EXPECT_TRUE(has(markdown.out, "| `rbf(ell=1)` | reals | `exp(-\\|x-y\\|^2 / (2 ell^2))` |"));
}

TEST_F(CliTest, EveryCatalogRowShowsAndItsExampleIsExplained) {
  for (const Json& row : json_of({"kernels"})) {
    const std::string name = row["name"].text();
    EXPECT_EQ(json_of({"kernels", name}), row);
    EXPECT_EQ(run({"kernels", name}).code, 0) << name;
    if (row["example"] == "") continue;
    EXPECT_EQ(run({"explain", row["example"].text()}).code, 0) << row;
  }
}

TEST_F(CliTest, Explain) {
  const Outcome got = run({"explain", "2*rbf(gamma=0.02)+on( text,spectrum(k=3) ) * matern(nu=1.5, ell=fixed(2))"});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_EQ(got.err, "");
  for (const std::string part : {"2*rbf(ell=5) + on(text, spectrum(k=3))*matern(nu=1.5, ell=fixed(2))", "Schur 1911",
                                 "rbf.scale", "matern.ell", "fixed", "└─ "}) {
    EXPECT_TRUE(has(got.out, part)) << part << "\n" << got;
  }
  EXPECT_FALSE(has(got.out, "assume")) << got;
  const Json json = json_of({"explain", "rbf(ell=auto) + matern(nu=1.5, ell=0.3 in [0.01, 10])"});
  EXPECT_EQ(json["domain"], "reals");
  EXPECT_EQ(json["proof"]["rule"], "sum");
  EXPECT_EQ(json["parameters"][0]["auto"], true);
  EXPECT_EQ(json["parameters"][0]["upper"], nullptr);
  EXPECT_EQ(json["parameters"][1]["upper"], 10);
  EXPECT_EQ(json["assumes"], Json::array());
}

TEST_F(CliTest, ExplainSaysWhatIsAssumed) {
  const Outcome got = run({"explain", "linear() + assume_psd(tanh(dot(x,y)), \"hope\")"});
  EXPECT_EQ(got.code, 0);
  const std::string last = got.out.substr(got.out.rfind('\n', got.out.size() - 2) + 1);
  EXPECT_TRUE(has(last, "only if what it assumes is true: assume_psd(tanh(dot(x, y)), \"hope\")")) << got;
}

TEST_F(CliTest, BadKernels) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"rbf(ell=-1)", "KernelError: column 1: rbf(): ell must be"},
      {"poly(degree=2.5)", "degree must be a whole number"},
      {"quadratic(A=[[1,2],[2,1]])", "its smallest eigenvalue is -1"},
      {"rbff(ell=1)", "GrammarError: column 1: no kernel or rule is called \"rbff\"; did you mean rbf?"},
      {"linear() + rbf(el=1)", "column 16"},
      {"rbf(ell=1)-linear()", "column 11: a difference of kernels need not be a kernel"},
      {"-linear()", "column 1: a minus sign"},
      {"linear()^0.5", "whole number"},
      {"", "an empty text"},
      {"(linear()", "expected )"},
      {std::string(5000, '('), "levels"},
  };
  for (const auto& [kernel, text] : cases) {
    expect_error(run({"explain", kernel}), 2, text);
    expect_gram_error(kernel, kData + "/toys/sinc.csv", 2, text);
  }
}

// ---- check ----

TEST_F(CliTest, CheckVerdicts) {
  const std::vector<std::tuple<std::string, int, std::string>> cases = {
      {"sin(x)*cos(y)", 1, "not a kernel: not symmetric"},
      {"-dot(x,y)/(norm(x)*norm(y))", 1, "not a kernel"},
      {"tanh(dot(x,y)-1)", 1, "not a kernel"},
      {"exp(-abs(x-y)^3)", 1, "weights"},
      {"exp(-2*sin(pi*norm(x-y))^2)", 1, "not a kernel"},
      {"-1", 1, "not a kernel"},
      {"-x", 1, "not symmetric"},
      {"min(x,y)", 0, "a kernel: by its form it is min() on nonnegative inputs"},
      {"(1+x*y)^2", 0, "a kernel: by its form it is (const(c=1) + linear())^2\n   "},
      {"exp(-norm(x-y)^2/2)", 0, "a kernel: by its form it is rbf(ell=1)"},
      {"exp(-norm(x-y)^2/2) + 0*norm(x)", 0, "mercer explain 'rbf(ell=1)'"},
      {"1/(1+(x-y)^4)^0.1", 1, "not a kernel"},
      {"rbf(ell=1)+linear()", 0, "a kernel: proved"},
      {"min()", 0, "a kernel: proved"},
      {"assume_psd(tanh(dot(x,y)), \"hope, \\\"honest\\\"\")", 1, "not a kernel"},
      {"2*assume_psd(dot(x,y), \"known\")", 0, "only if what it assumes is true"},
  };
  for (const auto& [text, code, part] : cases) {
    const Outcome got = run({"check", text});
    EXPECT_EQ(got.code, code) << text << "\n" << got;
    EXPECT_EQ(got.err, "") << text << "\n" << got;
    EXPECT_TRUE(has(got.out, part)) << text << ": " << part << "\n" << got;
    json_of({"check", text}, code);
  }
}

TEST_F(CliTest, CheckFindsWhatAReaderCanVerify) {
  const Json found = json_of({"check", "exp(-abs(x-y)^3)"}, 1);
  const Json& points = found["counterexample"]["points"];
  const Json& weights = found["counterexample"]["weights"];
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double d = std::abs(points[i][0].get<double>() - points[j][0].get<double>());
      sum += weights[i].get<double>() * weights[j].get<double>() * std::exp(-d * d * d);
    }
  }
  EXPECT_LT(sum, -1e-3);
  EXPECT_NEAR(sum, found["counterexample"]["value"].get<double>(), 1e-9);
}

TEST_F(CliTest, CheckOptions) {
  const Outcome got = run({"check", "cosh(dot(x,y))", "--seed", "7", "--tries", "10", "--dimension", "2"});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_TRUE(has(got.out, "dimension 2")) << got;
  EXPECT_EQ(json_of({"check", "dot(x,y)", "--dimension", "4"})["dimensions"], Json::array({4}));
  EXPECT_EQ(run({"check", "min(x,y)", "--inputs", "reals"}).code, 1);
  expect_error(run({"check", "sin(x)*sin(y)", "--dimension", "2"}), 2, "one-dimensional");
}

TEST_F(CliTest, CheckChoosesTheMoreUsefulError) {
  expect_error(run({"check", "rbf(ell=1)-linear()"}), 2, "a difference of kernels");
  expect_error(run({"check", "rbf(ell=-1)"}), 2, "ell must be");
  expect_error(run({"check", "tahn(dot(x,y))"}), 2, "did you mean tanh?");
  expect_error(run({"check", "x+*y"}), 2, "column 3");
  expect_error(run({"check", "-tahn(x*y)"}), 2, "column 2");
  expect_error(run({"check", "rbff()"}), 2, "did you mean rbf?");
  expect_error(run({"check", ""}), 2, "empty");
  expect_error(run({"check", "x\ny\xff"}), 2, "GrammarError");
}

// ---- gram ----

TEST_F(CliTest, GramIsTheLibrarys) {
  const std::string data = kData + "/toys/two_moons.csv", kernel = "rbf(ell=0.5) + 0.1*linear()";
  const Points x = read_data(data, {.target = "label"}).points;
  const Matrix expected = gram(parse(kernel), x);
  for (const std::string name : {"K.npy", "K.csv"}) {
    const Outcome got = run({"gram", kernel, data, "--target", "label", "-o", results_.path(name)});
    EXPECT_EQ(got.code, 0) << got;
    EXPECT_EQ(got.out + got.err, "");
    EXPECT_EQ(matrix_in(results_.path(name)), expected) << name;
  }
  const Outcome printed = run({"gram", kernel, data, "--target", "3", "--threads", "1"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.out, content_of(results_.path("K.csv")));
  EXPECT_EQ(run({"gram", kernel, data, "--target", "label", "-o", "-"}).out, printed.out);
}

TEST_F(CliTest, GramOfMixedColumns) {
  const std::string kernel = "on(text, normalize(spectrum(k=3)))*on(age, rbf(ell=10))";
  const Outcome got = run({"gram", kernel, kData + "/toys/mixed.csv", "-o", results_.path("K.npy")});
  ASSERT_EQ(got.code, 0) << got;
  const Matrix k = matrix_in(results_.path("K.npy"));
  ASSERT_EQ(k.rows(), 60);
  ASSERT_EQ(k.cols(), 60);
  for (Index i = 0; i < 60; ++i) EXPECT_NEAR(k(i, i), 1, 1e-12);
}

TEST_F(CliTest, GramWithOtherPoints) {
  const std::string train = files_.file("train.csv", "a,b,y\n0,0,1\n3,4,2\n");
  const std::string test = files_.file("test.csv", "a,b\n3,4\n0,0\n6,8\n");
  const std::string labelled = files_.file("labelled.csv", "a,b,y\n3,4,9\n0,0,9\n6,8,9\n");
  for (const std::string& second : {test, labelled}) {
    for (const std::string target : {"y", "3"}) {
      const Outcome got = run({"gram", "linear()", train, "--with", second, "--target", target});
      EXPECT_EQ(got.code, 0) << got;
      EXPECT_EQ(got.out, "0,0,0\n25,0,50\n") << got;
    }
  }
}

TEST_F(CliTest, GramOfLibsvmFilesOfDifferentWidths) {
  const std::string narrow = files_.file("narrow.svm", "+1 1:2\n-1 1:1\n");
  const std::string wide = files_.file("wide.svm", "+1 1:2 3:4\n-1 2:7\n");
  EXPECT_EQ(run({"gram", "linear()", wide}).out, "20,0\n0,49\n");
  const Outcome one = run({"gram", "linear()", wide, "--with", narrow});
  EXPECT_EQ(one.code, 0) << one;
  EXPECT_EQ(one.out, "4,2\n0,0\n");
  const Outcome other = run({"gram", "linear()", narrow, "--with", wide});
  EXPECT_EQ(other.code, 0) << other;
  EXPECT_EQ(other.out, "4,0\n2,0\n");
  const std::string plain = files_.file("plain.txt", "+1 1:2\n-1 1:1\n");
  EXPECT_EQ(run({"gram", "linear()", plain, "--format", "libsvm"}).out, "4,2\n2,1\n");
}

TEST_F(CliTest, GramReadsStandardInputGzipAndNpy) {
  input_ = files_.file("x.csv.gz", gzip("1\n2\n"));
  EXPECT_EQ(run({"gram", "linear()", "-"}).out, "1,2\n2,4\n");
  EXPECT_EQ(run({"gram", "linear()", input_}).out, "1,2\n2,4\n");
  ASSERT_EQ(run({"gram", "linear()", input_, "-o", results_.path("K.npy")}).code, 0);
  EXPECT_EQ(run({"gram", "linear()", results_.path("K.npy")}).out, "5,10\n10,20\n");
}

TEST_F(CliTest, GramHeader) {
  const std::string data = files_.file("x.csv", "1\n2\n");
  EXPECT_EQ(run({"gram", "linear()", data, "--header", "yes"}).out, "4\n");
  EXPECT_EQ(run({"gram", "linear()", data, "--header", "no"}).out, "1,2\n2,4\n");
}

TEST_F(CliTest, GramReportsWhatItDid) {
  const std::string data = kData + "/toys/two_moons.csv";
  const Outcome verbose = run({"gram", "rbf(ell=auto)", data, "-o", results_.path("K.npy"), "-v"});
  EXPECT_EQ(verbose.code, 0);
  EXPECT_EQ(verbose.out, "");
  EXPECT_TRUE(has(verbose.err, "mercer: auto is rbf(ell=") && has(verbose.err, "200 x 200 numbers, 320 KB")) << verbose;
  const Json json = json_of({"gram", "rbf(ell=auto)", data, "-o", results_.path("K.npy")});
  EXPECT_EQ(json["rows"], 200);
  EXPECT_EQ(json["bytes"], 320000);
  EXPECT_GT(parse(json["kernel"].get<std::string>()).params()[0].value, 0);
  EXPECT_FALSE(has(json["kernel"].text(), "auto"));
}

TEST_F(CliTest, BadData) {
  const auto csv = [&](const std::string& content) { return files_.file("bad.csv", content); };
  expect_gram_error("linear()", csv("a,b\n1,2\n3,nan\n"), 1, "\"b\"");
  expect_gram_error("linear()", csv("a,b\n1,2\n3,nan\n"), 1, "line 3");
  expect_gram_error("linear()", csv("a,b\n1,2\ninf,4\n"), 1, "\"a\"");
  expect_gram_error("linear()", csv("a,b\n1,2\n,4\n"), 1, "\"a\"");
  expect_gram_error("linear()", csv("1,2\n3,4,5\n"), 1, "line 2");
  expect_gram_error("linear()", csv(""), 1, "empty");
  expect_gram_error("linear()", csv("a,b\n"), 1, "bad.csv");
  expect_gram_error("min()", csv("x,dose\n1,2\n3,-0.3\n"), 1, "min(): needs x >= 0; row 2, column \"dose\" is -0.3");
  expect_gram_error("rbf(ell=1)", kData + "/toys/mixed.csv", 1, "DomainError: rbf() needs numbers");
  expect_gram_error("on(agee, linear())", kData + "/toys/mixed.csv", 1, "agee");
  expect_gram_error("rbf(ell=[1,2,3])", csv("1,2\n3,4\n"), 1, "3");
  expect_gram_error("rbf(ell=auto)", csv("1\n"), 1, "give ell a number");
  expect_gram_error("linear()", csv("1,2\n"), 1, "z", {"--target", "z"});
  expect_gram_error("linear()", csv("1,2\n"), 1, "ShapeError", {"--with", files_.file("three.csv", "1,2,3\n")});
  expect_gram_error("linear()", files_.path("absent.csv"), 1, "FileError");
  expect_gram_error("linear()", files_.path("."), 1, "FileError");
}

TEST_F(CliTest, TruncatedFiles) {
  ASSERT_EQ(run({"gram", "linear()", kData + "/toys/sinc.csv", "-o", files_.path("whole.npy")}).code, 0);
  const std::string npy = content_of(files_.path("whole.npy"));
  const std::string zipped = gzip(content_of(kData + "/toys/sinc.csv"));
  const std::string idx("\0\0\x08\x02\0\0\0\x02\0\0\0\x03\1\2\3\4\5\6", 18);
  EXPECT_EQ(run({"gram", "linear()", files_.file("whole.idx", idx)}).out, "14,32\n32,77\n");
  for (const std::size_t keep : {npy.size() - 1, npy.size() / 2, std::size_t{40}, std::size_t{7}}) {
    expect_gram_error("linear()", files_.file("cut.npy", npy.substr(0, keep)), 1, "FileError");
  }
  for (const std::size_t keep : {idx.size() - 1, std::size_t{13}, std::size_t{5}}) {
    expect_gram_error("linear()", files_.file("cut.idx", idx.substr(0, keep)), 1, "FileError");
  }
  for (const std::size_t keep : {zipped.size() - 1, zipped.size() / 2, std::size_t{12}}) {
    expect_gram_error("linear()", files_.file("cut.csv.gz", zipped.substr(0, keep)), 1, "FileError");
  }
}

TEST_F(CliTest, OutputThatCannotBeWritten) {
  const std::string data = kData + "/toys/sinc.csv";
  expect_error(run({"gram", "linear()", data, "-o", files_.path("no/K.npy")}), 1, "folder does not exist");
  std::filesystem::create_directory(files_.path("folder.npy"));
  expect_error(run({"gram", "linear()", data, "-o", files_.path("folder.npy")}), 1, "FileError");
  const std::string gram = std::string(MERCER_TEST_COMMAND) + " gram 'linear()' " + data;
  expect_error(shell(gram + " > /dev/full"), 1, "standard output: cannot be written: No space left on device");
  expect_error(shell(std::string(MERCER_TEST_COMMAND) + " kernels > /dev/full"), 1, "No space left on device");
}

TEST_F(CliTest, AMatrixLargerThanMemoryIsRefused) {
  std::string content;
  for (int i = 0; i < 4'000'000; ++i) content += "1\n";
  expect_error(run({"gram", "linear()", files_.file("long.csv", content), "-o", results_.path("K.npy")}), 1,
               "take fewer rows");
  EXPECT_TRUE(results_.list().empty());
}

TEST_F(CliTest, BrokenPipeIsQuiet) {
  const Outcome got =
      shell(std::string(MERCER_TEST_COMMAND) + " gram 'linear()' " + kData + "/toys/two_moons.csv | head -n 1 | wc -l");
  EXPECT_EQ(got.err, "") << got;
  EXPECT_TRUE(has(got.out, "1")) << got;
}

TEST_F(CliTest, CtrlCLeavesNothingBehind) {
  std::string content;
  for (int i = 0; i < 5000; ++i) content += std::to_string(i) + "," + std::to_string(i * i % 97 + 1) + "\n";
  results_.file("K.npy", "older");
  const pid_t child = start({MERCER_TEST_COMMAND, "gram", "ntk(depth=64) + ntk(depth=63) + ntk(depth=62)",
                             files_.file("x.csv", content), "-o", results_.path("K.npy")});
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  kill(child, SIGINT);
  const Outcome got = finish(child);
  EXPECT_EQ(got.code, 1) << got;
  EXPECT_EQ(got.err, "mercer: stopped; no file was written\n");
  EXPECT_EQ(results_.list(), std::vector<std::string>{"K.npy"});
  EXPECT_EQ(content_of(results_.path("K.npy")), "older");
}

}  // namespace
}  // namespace mercer::cli_test
