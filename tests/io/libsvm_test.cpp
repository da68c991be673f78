#include "io/files.hpp"
#include "io/readers.hpp"

namespace mercer::libsvm_test {
namespace {

using namespace io_test;

Dataset libsvm(const std::string& text, Index columns = 0) {
  return parse_libsvm(std::vector<FileContent>{{{text, nullptr}, "d.svm"}},
                      {.format = Format::libsvm, .columns = columns});
}

std::string libsvm_error(const std::string& text) {
  return error_of([&] { libsvm(text); });
}

TEST(Libsvm, SparseRowsAndLabels) {
  const Dataset d = libsvm("# made by hand\n+1 1:0.5 3:-2\r\n-1\n\n2.5 2:1e-3 3:0 # note\n+1\t4:+7 ");
  EXPECT_EQ(numbers(d.points), (Matrix{{0.5, 0, -2, 0}, {0, 0, 0, 0}, {0, 1e-3, 0, 0}, {0, 0, 0, 7}}));
  EXPECT_EQ(d.target_numbers, (Vector{1, -1, 2.5, 1}));
  EXPECT_EQ(d.target(), (std::vector<std::string>{"1", "-1", "2.5", "1"}));
  EXPECT_EQ(d.target_name, "label");
  const SparseMatrix& x = dynamic_cast<const SparseReals&>(d.points.rep()).values;
  EXPECT_EQ(x.offsets, (std::vector<Index>{0, 2, 2, 3, 4}));  // zeros are not stored
}

TEST(Libsvm, LeastNumberOfColumns) {
  EXPECT_EQ(libsvm("1 2:1\n", 5).points.domain().dimension, 5);
  EXPECT_EQ(libsvm("1 7:1\n", 5).points.domain().dimension, 7);
  EXPECT_EQ(libsvm("1\n2\n", 3).points.domain().dimension, 3);
}

TEST(Libsvm, Errors) {
  EXPECT_EQ(libsvm_error("1 1:1\n1 3:1 2:1\n"),
            "DataError: d.svm: line 2: column 2 after column 3; put each line's columns in increasing order");
  EXPECT_EQ(libsvm_error("1 3:1 3:1\n"),
            "DataError: d.svm: line 1: column 3 after column 3; put each line's columns in increasing order");
  EXPECT_EQ(libsvm_error("1 3:0 2:1\n"),  // a zero that is not stored has its place all the same
            "DataError: d.svm: line 1: column 2 after column 3; put each line's columns in increasing order");
  EXPECT_EQ(libsvm_error("1 0:1\n"),
            "DataError: d.svm: line 1: column 0 in \"0:1\"; columns are counted from 1 and below 2^31");
  EXPECT_EQ(
      libsvm_error("1 2147483648:1\n"),
      "DataError: d.svm: line 1: column 2147483648 in \"2147483648:1\"; columns are counted from 1 and below 2^31");
  EXPECT_EQ(libsvm_error("1 qid:7 1:1\n"),
            "DataError: d.svm: line 1: \"qid:7\" marks a ranking query, which no machine here can use; remove it");
  EXPECT_EQ(libsvm_error("# c\nyes 1:1\n"),
            "DataError: d.svm: line 2: the label \"yes\" is not a finite number; a line is \"label column:value ...\"");
  EXPECT_EQ(libsvm_error("1,2 1:1\n"),
            "DataError: d.svm: line 1: the label \"1,2\" is not a finite number; a line is \"label column:value ...\"");
  EXPECT_EQ(libsvm_error("1 2 3\n"), "DataError: d.svm: line 1: \"2\" is not column:value");
  EXPECT_EQ(libsvm_error("1 2:x 3:1\n"), "DataError: d.svm: line 1, column 2: \"x\" is not a finite number");
  EXPECT_EQ(libsvm_error("1 2: 3:1\n"), "DataError: d.svm: line 1, column 2: \"\" is not a finite number");
  EXPECT_EQ(libsvm_error("1 2:nan\n"), "DataError: d.svm: line 1, column 2: \"nan\" is not a finite number");
  EXPECT_EQ(libsvm_error("\n# nothing\n"), "DataError: d.svm: holds no points; a line is \"label column:value ...\"");
  EXPECT_EQ(libsvm_error("1\n-1\n"),
            "DataError: d.svm: has labels but not one column:value; say how many columns there are");
}

}  // namespace
}  // namespace mercer::libsvm_test
