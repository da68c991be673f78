// What the command takes a data file for: names or values, texts or numbers, labels of sequences, nodes of a graph.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/command.hpp"
#include "mercer/mercer.hpp"

namespace mercer::reading_test {
namespace {

using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;

using Words = std::vector<std::string>;

class ReadingTest : public cli_test::CommandTest {
 protected:
  std::string model() { return results_.path("m.mercer"); }
  Outcome fit(Words words) {
    words.insert(words.begin(), "fit");
    words.insert(words.end(), {"--plain", "-o", model()});
    return run(words);
  }
  Words classes() { return load(model()).classes(); }
};

// ---- standard input ----

// What a program before this one has taken of standard input is gone, also where that is a file; and a pipe gives
// little at a time.
TEST_F(ReadingTest, StandardInputIsReadFromWhereItIs) {
  const std::string data = files_.file("d.csv", "1,2\n3,4\n5,6\n");
  const Outcome rest = shell("{ read -r first; " MERCER_TEST_COMMAND " gram 'linear()' -; } < " + data);
  EXPECT_EQ(rest.out, "25,39\n39,61\n") << rest;
  std::string many;
  for (int i = 0; i < 30000; ++i) many += std::to_string(i % 7) + ",1\n";
  const std::string large = files_.file("large.csv", many);
  const Outcome piped = shell("cat " + large + " | " MERCER_TEST_COMMAND " represent - --count 3 --method herding");
  EXPECT_TRUE(has(piped.err, "3 of 30000 rows")) << piped;
}

// ---- names or values ----

TEST_F(ReadingTest, TheNamesOfTextColumnsAreNoClass) {
  const std::string pets = files_.file("pets.csv", "name,kind\nRex,dog\nTom,cat\nKit,cat\nBo,dog\nSly,fox\n");
  expect_error(fit({"svc", pets}), 1, "say --header yes or --header no");
  expect_error(fit({"svc", pets, "--target", "y"}), 1, "say --header yes or --header no");
  for (const Words& more :
       {Words{"--header", "yes"}, Words{"--target", "kind"}, Words{"--kernel", "on(name, normalize(spectrum(k=1)))"}}) {
    Words words = {"svc", pets};
    words.insert(words.end(), more.begin(), more.end());
    if (more[0] != "--kernel") words.insert(words.end(), {"--kernel", "on(name, normalize(spectrum(k=1)))"});
    const Outcome fitted = fit(words);
    ASSERT_EQ(fitted.code, 0) << fitted;
    EXPECT_EQ(classes(), (Words{"cat", "dog", "fox"}));
    // The model knows the name, also in a file of one column and from standard input.
    input_ = files_.file("new.csv", "name\nRex\nTom\n");
    for (const std::string& data : {files_.path("new.csv"), std::string("-")}) {
      EXPECT_EQ(run({"predict", model(), data}).out, "kind\ndog\ncat\n") << data;
    }
  }
  // Of a model of a file without names, no line is one.
  ASSERT_EQ(fit({"svc", pets, "--header", "no", "--kernel", "on(1, normalize(spectrum(k=1)))"}).code, 0);
  EXPECT_EQ(run({"predict", model(), files_.file("bare.csv", "Rex,dog\nTom,cat\n")}).out, "x2\ndog\ncat\n");
  const std::string numbers = files_.file("numbers.csv", "1,2\n3,4\n5,7\n");
  expect_error(fit({"ridge", numbers, "--target", "y"}), 1,
               "line 1 was read as values: if it holds names, say --header");
}

TEST_F(ReadingTest, AdviceOnNamesCanBeFollowed) {
  std::string content = "a,b,y\n", bare, odd = "a,B\n", more = "a,b,z\n";
  for (int i = 0; i < 9; ++i) {
    const std::string a = std::to_string(i), b = std::to_string(i * i % 5);
    content += a + "," + b + "," + std::to_string(2 * i) + "\n";
    bare += a + "," + b + "\n";
    odd += a + "," + b + "\n";
    more += a + "," + b + ",1\n";
  }
  ASSERT_EQ(fit({"ridge", files_.file("d.csv", content)}).code, 0);
  const Outcome without = run({"predict", model(), files_.file("bare.csv", bare)});
  expect_error(without, 1, "the file has no line of names: add one");
  EXPECT_FALSE(has(without.err, "--target")) << without;
  const Outcome cased = run({"predict", model(), files_.file("odd.csv", odd)});
  expect_error(cased, 1, "rename B, which has its letters in another case");
  EXPECT_FALSE(has(cased.err, "--target")) << cased;
  EXPECT_EQ(run({"predict", model(), files_.file("more.csv", more)}).code, 0);
  EXPECT_EQ(run({"predict", model(), files_.path("more.csv"), "--target", "z"}).code, 0);
  // Nothing of that kind helps here.
  const Outcome other = run({"predict", model(), files_.file("other.csv", "a,c,z\n1,2,3\n2,3,4\n")});
  expect_error(other, 1, "column \"b\" is missing");
  EXPECT_FALSE(has(other.err, "--target")) << other;
}

// ---- texts or numbers ----

TEST_F(ReadingTest, AMissingTextIsToldApart) {
  const std::string data = files_.file("d.csv", "kind,y\na,1\nb,2\nNA,3\n?,4\na,5\n");
  const Words words = {"ridge", data, "--kernel", "on(kind, equal())"};
  const Outcome gaps = fit(words);
  EXPECT_EQ(gaps.code, 0) << gaps;
  EXPECT_TRUE(has(gaps.err, "2 gaps told apart")) << gaps;
  Words told = words;
  told.insert(told.end(), {"--text", "kind"});
  ASSERT_EQ(fit(told).code, 0);
  // The model knows that it is text.
  EXPECT_EQ(run({"predict", model(), files_.file("new.csv", "kind\nNA\nb\n")}).code, 0);
}

TEST_F(ReadingTest, DigitsThatAreText) {
  std::string content = "code,group\n";
  for (int i = 0; i < 8; ++i) {
    content += std::string(i % 2 ? "0" : "") + std::to_string(12 + i / 2) + (i % 2 ? ",p\n" : ",q\n");
  }
  const std::string data = files_.file("d.csv", content);
  const std::string kernel = "on(code, equal())";
  ASSERT_EQ(fit({"svc", data, "--text", "code", "--kernel", kernel}).code, 0);
  // 012 and 12 are one number and two texts, in a model's new data too.
  const std::string some = files_.file("new.csv", "code\n012\n12\n");
  EXPECT_EQ(run({"predict", model(), some}).out, "group\np\nq\n");
  EXPECT_TRUE(has(run({"score", model(), data}).out, "1"));
  EXPECT_EQ(run({"gram", kernel, data, "--text", "code", "--target", "group", "--with", some}).out.substr(0, 8),
            "0,1\n1,0\n");
  for (const Words& verb :
       {Words{"distances", kernel, data}, Words{"align", kernel, data},
        Words{"represent", data, "--count", "2", "--kernel", kernel}, Words{"sample", kernel, data},
        Words{"test", "mmd", data, data, "--kernel", kernel}, Words{"test", "hsic", data},
        Words{"tune", "svc", data, "--kernel", kernel, "--grid", "C=1,2", "--cv", "4"}, Words{"score", model(), data},
        Words{"report", model(), data, "-o", results_.path("r.html")}}) {
    Words told = verb;
    told.insert(told.end(), {"--text", "code"});
    const Outcome got = run(told);
    EXPECT_EQ(got.code, 0) << verb[0] << got;
  }
  expect_error(run({"gram", kernel, data, "--text", "cod"}), 1, "no column \"cod\" to be text");
  Matrix values(3, 2, 1.0);
  write_npy(files_.path("d.npy"), values);
  expect_error(run({"gram", "linear()", files_.path("d.npy"), "--text", "1"}), 2, "leave out --text");
}

// ---- no data ----

TEST_F(ReadingTest, WithoutDataOnlyWhatTheFitFoundIsKnown) {
  const std::string data = files_.file("d.csv", "a,b\n0,0\n0.1,0\n5,5\n5,5.1\n0,0.1\n");
  ASSERT_EQ(fit({"kmeans", data, "--clusters", "2"}).code, 0);
  const Outcome found = run({"predict", model()});
  EXPECT_EQ(found.out, run({"predict", model(), data}).out) << found;
  EXPECT_EQ(std::count(found.out.begin(), found.out.end(), '\n'), 6);
  expect_error(run({"predict", model(), "--scores"}), 2, "DATA is missing");
  ASSERT_EQ(fit({"gmm", data, "--components", "2"}).code, 0);
  expect_error(run({"predict", model(), "--proba"}), 2, "DATA is missing");
  ASSERT_EQ(fit({"ridge", data}).code, 0);
  expect_error(run({"predict", model()}), 2, "DATA is missing");
}

// ---- sequences ----

TEST_F(ReadingTest, SequencesAreFittedToTheirDescriptions) {
  std::string content;
  for (int i = 0; i < 8; ++i) {
    content += ">s" + std::to_string(i % 2) + (i % 2 ? " coding\nGCGCGCGT\n" : " other\nATATATAC\n");
  }
  const std::string data = files_.file("d.fa", content), kernel = "normalize(spectrum(k=2))";
  for (const std::string target : {"", "description", "name"}) {
    Words words = {"svc", data, "--kernel", kernel};
    if (!target.empty()) words.insert(words.end(), {"--target", target});
    const Outcome fitted = fit(words);
    ASSERT_EQ(fitted.code, 0) << target << fitted;
    EXPECT_EQ(classes(), target == "name" ? (Words{"s0", "s1"}) : (Words{"coding", "other"}));
    EXPECT_EQ(load(model()).parts().targets, (Words{target.empty() ? "description" : target}));
    EXPECT_EQ(json_of({"score", model(), data})["accuracy"], 1);
    // Without descriptions.
    const Outcome said = run({"predict", model(), files_.file("new.fa", ">a\nGCGCGC\n>b\nATATAT\n")});
    EXPECT_EQ(said.out, target == "name" ? "name\ns1\ns0\n" : "description\ncoding\nother\n") << said;
  }
  expect_error(fit({"svc", data, "--target", "class", "--kernel", kernel}), 2, "say --target name");
  expect_error(fit({"svc", files_.file("some.fa", ">a x\nAC\n>b\nGT\n"), "--kernel", kernel}), 1,
               "row 2: the target \"description\" is missing");
  // Nobody asks clusters for descriptions.
  EXPECT_EQ(fit({"kmeans", files_.path("some.fa"), "--clusters", "2", "--kernel", kernel}).code, 0);
  for (const Words& verb : {Words{"gram", kernel, data}, Words{"align", kernel, data}, Words{"test", "hsic", data},
                            Words{"represent", data, "--count", "2", "--kernel", kernel}}) {
    Words named = verb;
    if (verb[0] != "test") named.insert(named.end(), {"--target", "name"});
    const Outcome got = run(named);
    EXPECT_EQ(got.code, 0) << verb[0] << got;
  }
}

// ---- nodes ----

TEST_F(ReadingTest, NodesOfAGraphInEveryVerb) {
  const std::string edges =
      files_.file("edges.txt", "ann bob\nbob cy\ncy ann\ndan eve\neve fay\nfay dan\ncy dan 0.1\n");
  const std::string people = files_.file("people.csv", "who,team\nann,red\nbob,red\ncy,red\ndan,blue\neve,blue\n");
  const std::string kernel = "diffusion(t=1)";
  // By hand.
  const NamedGraph graph = read_edges(edges);
  const Points x = nodes(graph, Words{"ann", "bob", "cy", "dan", "eve"});
  const Matrix K = gram(parse(kernel), x);
  const Outcome got = run({"gram", kernel, people, "--target", "team", "--graph", edges, "-o", results_.path("K.csv")});
  ASSERT_EQ(got.code, 0) << got;
  const Matrix found = matrix_in(results_.path("K.csv"));
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) EXPECT_NEAR(found(i, j), K(i, j), 1e-12);
  }
  // The column by its name, beside another; the second file in another order.
  const std::string turned = files_.file("turned.csv", "team,who\nblue,eve\nred,ann\n");
  EXPECT_EQ(run({"gram", "on(who, diffusion(t=1))", people, "--with", turned, "--node", "who", "--graph", edges, "-o",
                 results_.path("K2.csv")})
                .code,
            0);
  EXPECT_NEAR(matrix_in(results_.path("K2.csv"))(3, 1), K(3, 0), 1e-12);
  // By its number, where nothing but the graph tells whether the first line holds names.
  for (const std::string names : {"", "team,who\n"}) {
    const std::string file = files_.file("numbered.csv", names + "blue,eve\nred,ann\n");
    const Outcome numbered = run({"gram", "on(" + std::string(names.empty() ? "x2" : "who") + ", diffusion(t=1))", file,
                                  "--node", "2", "--graph", edges, "-o", results_.path("K3.csv")});
    ASSERT_EQ(numbered.code, 0) << numbered;
    const Matrix two = matrix_in(results_.path("K3.csv"));
    ASSERT_EQ(two.rows(), 2);
    EXPECT_NEAR(two(0, 1), K(4, 0), 1e-12);
  }
  for (const Words& verb : {Words{"distances", kernel, people, "--target", "team"}, Words{"align", kernel, people},
                            Words{"represent", people, "--count", "2", "--target", "team", "--kernel", kernel},
                            Words{"sample", kernel, people, "--target", "team"},
                            Words{"test", "mmd", people, people, "--target", "team", "--kernel", kernel},
                            Words{"test", "hsic", people, "--kernel-x", kernel}}) {
    Words on_graph = verb;
    on_graph.insert(on_graph.end(), {"--graph", edges});
    const Outcome done = run(on_graph);
    EXPECT_EQ(done.code, 0) << verb[0] << done;
    const std::string beginning = verb[0] == "sample" ? "who,draw1," : verb[0] == "represent" ? "who,team\n" : "";
    EXPECT_TRUE(done.out.starts_with(beginning)) << done;
    expect_error(run(verb), 1, "");
    Words nowhere = verb;
    nowhere.insert(nowhere.end(), {"--node", "who"});
    expect_error(run(nowhere), 2, "nodes of which graph?");
  }
  expect_error(run({"gram", kernel, files_.file("bad.csv", "who\nann\nzoe\n"), "--graph", edges}), 1, "zoe");
}

}  // namespace
}  // namespace mercer::reading_test
