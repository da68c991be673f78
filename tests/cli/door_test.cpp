// The verbs that tell about the command itself and about models: show, completion, manual; and colours.
#include <sstream>

#include "cli/command.hpp"
#include "paths.hpp"

namespace mercer::cli_test::door_test {
namespace {

const std::string kToys = std::string(MERCER_TEST_DATA) + "/toys/";

class DoorTest : public CommandTest {
 protected:
  std::vector<std::string> completions(const std::string& line, const std::string& shell = "zsh") {
    const Outcome got = run({"completion", shell, line});
    EXPECT_EQ(got.code, 0) << got;
    std::vector<std::string> out;
    std::istringstream lines(got.out);
    for (std::string text; std::getline(lines, text);) out.push_back(text.substr(0, text.find('\t')));
    return out;
  }
};

TEST_F(DoorTest, ShowTellsWhatAModelIs) {
  const std::string model = results_.path("m.mercer");
  ASSERT_EQ(run({"fit", "svc", kToys + "two_moons.csv", "--kernel", "2*rbf(ell=0.5)", "--C", "10", "-o", model}).code,
            0);
  const Outcome got = run({"show", model});
  EXPECT_EQ(got.code, 0) << got;
  for (const char* const part :
       {"svc of 2 classes (0, 1)", "C=10", "2*rbf(ell=0.5)", "of the 200 training points", "proof\n  scale by 2",
        "Schoenberg 1938", "rbf.ell", "report\n  converged", "support_vectors"}) {
    EXPECT_TRUE(has(got.out, part)) << part << "\n" << got;
  }
  const Json json = json_of({"show", model});
  EXPECT_EQ(json["machine"], "svc");
  EXPECT_EQ(json["kernel"], "2*rbf(ell=0.5)");
  EXPECT_EQ(json["proof"]["rule"], "scale");
  EXPECT_EQ(json["bytes"], content_of(model).size());
  expect_error(run({"show", kToys + "two_moons.csv"}), 1, "two_moons.csv");
  expect_error(run({"show", results_.path("none.mercer")}), 1, "none.mercer");
}

TEST_F(DoorTest, CompletesVerbsMachinesAndTheirOptions) {
  EXPECT_EQ(completions("mercer sc"), std::vector<std::string>{"score"});
  EXPECT_EQ(completions("mercer fit nus"), (std::vector<std::string>{"nusvc", "nusvr"}));
  EXPECT_EQ(completions("mercer fit svc data.csv --prob"), std::vector<std::string>{"--probability"});
  EXPECT_EQ(completions("mercer fit kde data.csv --prob"), std::vector<std::string>{});  // not an option of kde
  EXPECT_EQ(completions("mercer predict m.mercer new.csv --st"), std::vector<std::string>{"--std"});
  EXPECT_EQ(completions("mercer manual expl"), (std::vector<std::string>{"explain", "explain-prediction"}));
  EXPECT_EQ(completions("mercer completion f"), std::vector<std::string>{"fish"});
}

TEST_F(DoorTest, CompletesKernelsInsideAnExpression) {
  EXPECT_EQ(completions("mercer explain '2*rq"), std::vector<std::string>{"2*rq("});
  EXPECT_EQ(completions("mercer kernels mate"), std::vector<std::string>{"matern"});
  EXPECT_EQ(completions("mercer fit svc d.csv --kernel 'rbf(ell=1) + perio"),
            std::vector<std::string>{"rbf(ell=1) + periodic("});
  // Bash itself completes from the last parenthesis on.
  EXPECT_EQ(completions("mercer explain 'exp(rq", "bash"), std::vector<std::string>{"rq("});
}

TEST_F(DoorTest, CompletesTheColumnsOfTheFileOnTheLine) {
  const std::string fit = "mercer fit svc " + kToys + "mixed.csv ";
  EXPECT_EQ(completions(fit + "--target la"), std::vector<std::string>{"label"});
  EXPECT_EQ(completions(fit + "--kernel 'on(te"), std::vector<std::string>{"on(text"});
  EXPECT_EQ(completions(fit + "--target zz"), std::vector<std::string>{});
  EXPECT_EQ(completions("mercer fit svc no_such_file.csv --target la"), std::vector<std::string>{});
}

TEST_F(DoorTest, BashTakesTheScript) {
  const Outcome got = shell("bash -c 'PATH=$(dirname " MERCER_TEST_COMMAND
                            "):$PATH; source <(mercer completion bash); COMP_LINE=\"mercer expl\" COMP_POINT=11; "
                            "_mercer; echo \"${COMPREPLY[*]}\"'");
  EXPECT_EQ(got.out, "explain explain-prediction\n") << got;
  expect_error(run({"completion", "tcsh"}), 2, "bash, zsh, fish");
}

TEST_F(DoorTest, ThereIsAManualPageForEveryVerb) {
  const std::string overview = run({"--help"}).out;
  ASSERT_EQ(run({"manual", "--all", results_.path("")}).code, 0);
  for (const char* const verb :
       {"kernels", "explain", "check", "gram", "machines", "fit", "predict", "explain-prediction", "score", "tune",
        "show", "sample", "convert", "demo", "completion", "manual"}) {
    EXPECT_TRUE(has(overview, std::string("mercer ") + verb + " ")) << verb;
    const std::string page = content_of(results_.path(std::string("mercer-") + verb + ".1"));
    EXPECT_TRUE(page.starts_with(".TH MERCER")) << page.substr(0, 100);
    EXPECT_TRUE(has(page, ".SH SYNOPSIS") && has(page, ".SH EXAMPLES")) << verb;
  }
  const std::string fit = content_of(results_.path("mercer-fit.1"));
  EXPECT_TRUE(has(fit, "OPTIONS OF svc") && has(fit, "\\-\\-probability") && has(fit, "\\fB\\-\\-output\\fR"));
  EXPECT_TRUE(has(content_of(results_.path("mercer.1")), "\\fBridge\\fR"));
  expect_error(run({"manual", "ft"}), 2, "did you mean fit?");
}

// `script` gives the command a terminal.
TEST_F(DoorTest, ColoursAreForTerminalsAndNoColor) {
  if (shell("command -v script").code != 0) GTEST_SKIP() << "there is no script(1)";
  const std::string check = std::string(MERCER_TEST_COMMAND) + " check 'linear()'";
  const auto on_terminal = [&](const std::string& environment) {
    return shell("env " + environment + " script -qec \"" + check + "\" /dev/null").out;
  };
  EXPECT_TRUE(has(on_terminal("TERM=xterm"), "\x1b[32ma kernel")) << on_terminal("TERM=xterm");
  EXPECT_FALSE(has(on_terminal("TERM=xterm NO_COLOR=1"), "\x1b["));
  EXPECT_FALSE(has(on_terminal("TERM=dumb"), "\x1b["));
  EXPECT_FALSE(has(shell("TERM=xterm " + check).out, "\x1b["));
}

}  // namespace
}  // namespace mercer::cli_test::door_test
