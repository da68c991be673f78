// What people do who have not read the manual, and what the manual says.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/command.hpp"
#include "mercer/machines.hpp"
#include "mercer/model_file.hpp"
#include "paths.hpp"

namespace mercer::newcomer_test {
namespace {

using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;
using io_test::content_of;

using Words = std::vector<std::string>;

class NewcomerTest : public cli_test::CommandTest {
 protected:
  // Three columns and a class that the first tells.
  std::string data() {
    std::string content = "a,b,c,kind\n";
    for (int i = 0; i < 30; ++i) {
      content += std::to_string(i) + "," + std::to_string(i * i % 7) + "," + std::to_string(i % 5) + "," +
                 (i < 15 ? "low" : "high") + "\n";
    }
    return files_.file("data.csv", content);
  }
  // Labels in front, no header.
  std::string texts() {
    return files_.file("texts.tsv", "x\tabab\nx\tbaba\nx\tabba\ny\tcdcd\ny\tdccd\ny\tcddc\nx\tabac\ny\tccdd\n");
  }
  std::string model(const std::string& name = "m.mercer") { return results_.path(name); }
  Outcome fit(Words words) {
    words.insert(words.begin(), "fit");
    words.insert(words.end(), {"-o", model()});
    return run(words);
  }
};

// ---- the documents ----

TEST_F(NewcomerTest, TheGeneratedDocumentsAreWhatTheCatalogsSay) {
  const std::string docs = MERCER_TEST_SOURCE "/../docs/";
  EXPECT_EQ(content_of(docs + "kernels.md"), run({"kernels", "--markdown"}).out)
      << "run: mercer kernels --markdown > docs/kernels.md";
  EXPECT_EQ(content_of(docs + "machines.md"), run({"machines", "--markdown"}).out)
      << "run: mercer machines --markdown > docs/machines.md";
}

TEST_F(NewcomerTest, HelpFitsOnAHundredColumns) {
  std::vector<Words> pages = {{"--help"}};
  for (const std::string verb : {"kernels", "explain", "check", "gram", "machines", "auto", "fit", "predict", "score",
                                 "tune", "sample", "convert", "demo"}) {
    pages.push_back({verb, "--help"});
  }
  for (const Machine& machine : machines()) {
    pages.push_back({"fit", machine.name, "--help"});
    pages.push_back({"tune", machine.name, "--help"});
  }
  for (const Words& page : pages) {
    const Outcome help = run(page);
    EXPECT_EQ(help.code, 0) << help;
    std::size_t begin = 0;
    while (begin < help.out.size()) {
      const std::size_t end = std::min(help.out.find('\n', begin), help.out.size());
      EXPECT_LE(end - begin, 100U) << help.out.substr(begin, end - begin);
      begin = end + 1;
    }
  }
  EXPECT_TRUE(has(run({"fit", "svc", "--help"}).out, "Usage: mercer fit svc [OPTIONS] DATA\n"));
  EXPECT_TRUE(has(run({"fit", "--help"}).out, "Usage: mercer fit MACHINE [OPTIONS] DATA\n"));
}

// ---- words ----

TEST_F(NewcomerTest, WordsThatCannotBeMeant) {
  const std::string file = data();
  expect_error(fit({"svc", file, "--C", "1", "--C", "2"}), 2, "--C is given twice");
  expect_error(fit({"svc", file, "--kernel", "linear()", "--kernel", "rbf(ell=1)"}), 2, "--kernel is given twice");
  expect_error(fit({"svc", file, "--kernel", ""}), 2, "--kernel is an empty text");
  expect_error(run({"fit", "svc", "", "-o", model()}), 2, "DATA is an empty text");
  expect_error(run({"fit", "svc", file, "-o"}), 2, "--output needs a value");
  expect_error(run({"fit"}), 2, "mercer fit svc DATA");
  expect_error(run({"tune", "--cv", "3", "svc", file}), 2, "MACHINE comes first");
  expect_error(fit({"svc", file, "more.csv"}), 2, "does not know what to do with \"more.csv\"");
  EXPECT_TRUE(results_.list().empty());
}

TEST_F(NewcomerTest, UnderscoresAreAsGoodAsHyphens) {
  const Json a = json_of({"fit", "svc", data(), "--max_iterations", "7", "--C_over_m", "-o", model()}, 1);
  const Json b = json_of({"fit", "svc", data(), "--max-iterations=7", "--C-over-m", "-o", model()}, 1);
  EXPECT_EQ(a["settings"]["max_iterations"], "7");
  EXPECT_EQ(a["settings"], b["settings"]);
  EXPECT_EQ(a["settings"]["C_over_m"], "true");
  // Of a search the best fit, which has not ended either.
  EXPECT_EQ(run({"tune", "svc", data(), "--max_iterations", "7", "--grid", "C=100,1000"}).code, 1);
  EXPECT_EQ(run({"tune", "svc", data(), "--grid", "C=1"}).code, 0);
}

// Whether a word is an option is known before the file is looked for.
TEST_F(NewcomerTest, EveryOptionOfSeveralWordsIsWrittenEitherWay) {
  int seen = 0;
  for (const Machine& machine : machines()) {
    for (const MachineOption& option : machine.options) {
      EXPECT_EQ(option.name.find('-'), option.name.npos) << machine.name << " " << option.name;
      if (option.name.find('_') == option.name.npos) continue;
      std::string hyphens = option.name;
      std::replace(hyphens.begin(), hyphens.end(), '_', '-');
      const std::string no = option.flag && option.fallback == "true" ? "no_" : "";
      for (const std::string& word : {"--" + no + option.name, "--" + no + hyphens}) {
        Words words = {"fit", machine.name, files_.path("absent.csv"), word};
        if (!option.flag) words.push_back("1");
        words.insert(words.end(), {"-o", model()});
        expect_error(run(words), 1, "absent.csv");
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 60);
}

TEST_F(NewcomerTest, OnlyMachinesThatGoOnTakeAStart) {
  const std::string file = files_.file("y.csv", "x,y\n0,1\n1,3\n2,2\n3,5\n");
  const Outcome short_of_steps = fit({"gd", file, "--max-iterations", "2"});
  EXPECT_EQ(short_of_steps.code, 1) << short_of_steps;
  EXPECT_TRUE(has(short_of_steps.err, "not converged")) << short_of_steps;
  EXPECT_FALSE(has(short_of_steps.err, "--start")) << short_of_steps;
  expect_error(run({"fit", "gd", file, "--start", model(), "-o", model("2")}), 2, "no option --start");
  const Points x = rows(Matrix{{0.0}, {1.0}});
  Training training{.K = lazy(parse("rbf(ell=1)"), x), .y = Matrix{{0.0}, {1.0}}};
  training.start = mercer::fit("ridge", {}, training);
  EXPECT_THROW(mercer::fit("ridge", {}, training), Error);
}

TEST_F(NewcomerTest, NotesAreForEveryoneAndPlansForThoseWhoAsk) {
  const Outcome brief = fit({"svc", data()});
  EXPECT_EQ(brief.code, 0) << brief;
  EXPECT_FALSE(has(brief.err, "kernel rows")) << brief;
  EXPECT_TRUE(has(fit({"svc", data(), "-v"}).err, "kernel rows"));
  const std::string twins = files_.file("twins.csv", "x,y\n0,1\n0,2\n1,3\n");
  const Outcome singular = fit({"ols", twins, "--kernel", "rbf(ell=1)"});
  EXPECT_TRUE(has(singular.err, "note: ")) << singular;
  const Outcome network = fit({"rbf_network", files_.file("y.csv", "x,y\n0,1\n1,3\n2,2\n3,5\n"), "--centres", "2"});
  EXPECT_TRUE(has(network.err, "; 2 centres")) << network;
}

// ---- data ----

TEST_F(NewcomerTest, FilesInTheWrongPlace) {
  const std::string file = data();
  ASSERT_EQ(fit({"svc", file}).code, 0);
  expect_error(run({"predict", model(), model()}), 1, "is a model, not a file of points");
  expect_error(run({"fit", "svc", model(), "-o", model("2")}), 1, "is a model, not a file of points");
  expect_error(run({"predict", file, file}), 1, "no Mercer model");
  expect_error(run({"predict", model(), files_.path("")}), 1, "folder");
  expect_error(run({"score", files_.path(""), file}), 1, "folder");
  expect_error(run({"predict", model(), files_.file("empty.csv", "")}), 1, "empty");
  expect_error(run({"convert", file, model("2.mercer")}), 1, "data.csv");
  expect_error(run({"fit", "svc", file, "-o", files_.path("")}), 1, "folder");
  EXPECT_EQ(results_.list(), Words{"m.mercer"});
}

TEST_F(NewcomerTest, OneRowIsNamedAsTheReason) {
  const std::string one = files_.file("one.csv", "x,y\n1,2\n");
  expect_error(fit({"ridge", one}), 1, "one.csv: one row");
  EXPECT_TRUE(results_.list().empty());
  EXPECT_EQ(fit({"ridge", one, "--kernel", "rbf(ell=1)"}).code, 0);
}

TEST_F(NewcomerTest, TheKernelThatIsMissingIsSuggestedForTheseColumns) {
  expect_error(fit({"svc", texts(), "--target", "1"}), 2, "'normalize(spectrum(k=3))'");
  const std::string mixed = files_.file("m.csv", "years old,city,label\n1,Oslo,a\n2,Bergen,b\n3,Oslo,a\n4,Bergen,b\n");
  EXPECT_EQ(fit({"svc", mixed}).code, 0);
  const std::string kernel = "on(\"years old\", rbf(ell=auto)) + on(city, normalize(spectrum(k=3)))";
  EXPECT_EQ(fit({"svc", mixed, "--kernel", kernel}).code, 0);
}

TEST_F(NewcomerTest, ATextColumnKeepsItsNameWithoutTheTarget) {
  ASSERT_EQ(fit({"svc", texts(), "--target", "1", "--kernel", "on(x2, normalize(spectrum(k=2)))"}).code, 0);
  EXPECT_EQ(json_of({"score", model(), files_.path("texts.tsv")})["accuracy"], 1.0);
  // A file of the texts alone, whose only column is the first.
  const Outcome got = run({"predict", model(), files_.file("new.txt", "abab\ncdcd\n")});
  EXPECT_EQ(got.out, "x1\nx\ny\n") << got;
}

TEST_F(NewcomerTest, TargetsInTextFiles) {
  std::string labels;
  for (int i = 0; i < 30; ++i) labels += i % 3 == 0 ? "p\n" : "q\n";
  const std::string file = files_.file("labels.txt", labels);
  const Json fitted = json_of({"fit", "svc", data(), "--target", file, "--kernel",
                               "on([a, b, c], rbf(ell=1)) + on(kind, spectrum(k=1))", "-o", model()});
  EXPECT_EQ(fitted["classes"], (Json{"p", "q"}));
}

TEST_F(NewcomerTest, AModelWithoutNamesTakesFilesWithThem) {
  const std::string sparse =
      files_.file("t.svm", "1 1:1 2:0.5\n2 1:0.1 2:1\n1 1:2 2:0.7\n2 1:0.3 2:2\n1 1:1.5\n2 2:1.7\n");
  ASSERT_EQ(fit({"svc", sparse, "--kernel", "rbf(ell=1)", "--C", "10"}).code, 0);
  ASSERT_EQ(run({"convert", model(), results_.path("t.model")}).code, 0);
  expect_error(run({"convert", results_.path("t.model"), model("x.mercer"), "--columns", "1"}), 2, "uses column 2");
  ASSERT_EQ(run({"convert", results_.path("t.model"), model("back.mercer")}).code, 0);
  const std::string dense = files_.file("t.csv", "u,v,label\n1,0.5,1\n0.1,1,2\n2,0.7,1\n0.3,2,2\n1.5,0,1\n0,1.7,2\n");
  EXPECT_EQ(json_of({"score", model("back.mercer"), dense})["accuracy"],
            json_of({"score", model(), sparse})["accuracy"]);
}

TEST_F(NewcomerTest, AColumnTooManyComesWithTheWayOut) {
  ASSERT_EQ(fit({"oneclass", files_.file("u.csv", "u,v\n1,2\n2,4\n3,1\n")}).code, 0);
  const std::string more = files_.file("more.csv", "u,v,kind\n1,2,a\n");
  const Outcome said = run({"predict", model(), more});
  EXPECT_EQ(said.code, 0) << said;
  EXPECT_TRUE(has(said.err, "columns that the model does not know are passed over: kind")) << said;
  EXPECT_EQ(run({"predict", model(), more, "--target", "kind"}).code, 0);
  // A column that was left out of the fit is left out again.
  ASSERT_EQ(fit({"oneclass", data(), "--target", "kind", "--nu", "0.2"}).code, 0);
  EXPECT_EQ(run({"predict", model(), data()}).code, 0);
  EXPECT_EQ(run({"predict", model(), data(), "--target", "kind"}).code, 0);
  // Whatever the kernel, a machine without a target has none.
  write_npy(files_.path("K.npy"), Matrix{{1, 0.5}, {0.5, 1}});
  const Json unlabelled = json_of({"fit", "oneclass", files_.path("K.npy"), "--kernel", "precomputed", "--target",
                                   files_.file("l.csv", "a\nb\n"), "-o", model("k.mercer")});
  EXPECT_TRUE(unlabelled["targets"].empty()) << unlabelled["targets"];
  // Of many columns only some are listed.
  std::string wide, row;
  for (int j = 0; j < 40; ++j) {
    wide += (j > 0 ? ",c" : "c") + std::to_string(j);
    row += (j > 0 ? "," : "") + std::to_string(j % 4);
  }
  const std::string many = files_.file("wide.csv", wide + ",y\n" + row + ",1\n" + row + ",2\n");
  ASSERT_EQ(fit({"ridge", many, "--kernel", "rbf(ell=1)"}).code, 0);
  const Outcome got = run({"predict", model(), data()});
  expect_error(got, 1, "c0, c1, ..., c39 (40 columns)");
}

TEST_F(NewcomerTest, TuneSaysOnceWhatIsWrong) {
  const Outcome got = run({"tune", "svc", data(), "--metric", "log_loss", "--grid", "C=1,10"});
  expect_error(got, 2, "UsageError: tune: the metric needs probabilities");
  EXPECT_EQ(got.err.find("UsageError"), got.err.rfind("UsageError")) << got;
  EXPECT_EQ(json_of({"tune", "svc", data(), "--metric", "log_loss", "--probability"})["metric"], "log_loss");
}

}  // namespace
}  // namespace mercer::newcomer_test
