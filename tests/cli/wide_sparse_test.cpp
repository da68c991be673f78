// Memory follows the entries of sparse rows, not the largest column.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "cli/command.hpp"
#include "paths.hpp"
#include "sanitized.hpp"

namespace mercer::wide_sparse_test {
namespace {

using cli_test::content_of;
using cli_test::Outcome;
using Words = std::vector<std::string>;

class WideSparseTest : public cli_test::CommandTest {
 protected:
  std::string data() {
    return files_.file("wide.svm",
                       "1 1:1 2147483647:2\n-1 2:1 2147483646:1\n1 1:0.5 2147483647:1.5\n-1 2:0.75\n1 1:1 7:1\n");
  }
  // Ends well, in less than half a gigabyte.
  Outcome run_small(Words words) {
    words.insert(words.begin(), MERCER_TEST_COMMAND);
    const pid_t child = start(words);
    int status = 0;
    rusage usage = {};
    EXPECT_EQ(wait4(child, &status, 0, &usage), child);
    const Outcome got{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), content_of(capture_.path("out")),
                      content_of(capture_.path("err"))};
    EXPECT_EQ(got.code, 0) << words[1] << " " << words[2] << "\n" << got;
    rusage own = {};  // a child begins as a copy of this process, and its peak with it
    EXPECT_EQ(getrusage(RUSAGE_SELF, &own), 0);
    if (!test::kSanitized) {
      EXPECT_LT(usage.ru_maxrss, std::max(500000L, own.ru_maxrss + 50000)) << words[1] << " " << words[2];
    }
    return got;
  }
};

TEST_F(WideSparseTest, Gram) {
  EXPECT_EQ(run_small({"gram", "linear()", data()}).out,
            "5,0,3.5,0,1\n0,2,0,0.75,0\n3.5,0,2.5,0,0.5\n0,0.75,0,0.5625,0\n1,0,0.5,0,2\n");
  run_small({"gram", "rbf(ell=1) + poly(degree=2)*exponential(ell=2) + arccos(order=1)", data()});
  run_small({"gram", "on([7, 1, 2], rbf(ell=1))", data()});
  const Outcome automatic = run_small({"gram", "rbf(ell=auto)", data()});
  EXPECT_NE(automatic.err.find("auto is rbf(ell="), std::string::npos) << automatic;
  expect_error(run({"gram", "rbf(ell=[auto])", data()}), 1, "use ell=auto");
}

TEST_F(WideSparseTest, FitAndPredict) {
  for (const std::string machine : {"svc", "ridge", "logistic", "oneclass"}) {
    const std::string model = results_.path("m.mercer");
    run_small({"fit", machine, data(), "--kernel", "rbf(ell=auto)", "-o", model});
    run_small({"predict", model, data()});
    run_small({"predict", model, files_.file("narrow.svm", "1 1:1\n-1 2:1\n")});
  }
}

}  // namespace
}  // namespace mercer::wide_sparse_test
