// Predictions of files that are read some rows at a time, and of several files one by one.
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

#include "cli/command.hpp"

namespace mercer::cli_test::predict_pieces_test {
namespace {

namespace fs = std::filesystem;

class PredictPiecesTest : public CommandTest {
 protected:
  void SetUp() override {
    std::string train = "a,b,y\n";
    for (int i = 0; i < 40; ++i) train += row(i) + "," + std::to_string(i % 7) + "\n";
    model_ = results_.path("m.mercer");
    ASSERT_EQ(run({"fit", "ridge", files_.file("train.csv", train), "--plain", "--scale", "none", "-o", model_}).code,
              0);
  }
  static std::string row(int i) {
    return std::to_string(i % 11) + "." + std::to_string(i % 97) + "," + std::to_string(i % 5);
  }
  // More rows than are read at once, of which `line` is number `at`, if it is not empty.
  std::string many(const std::string& name, int at = -1, const std::string& line = "") {
    std::string text = "a,b\n";
    for (int i = 1; i <= kRows; ++i) text += (i == at ? line : row(i)) + "\n";
    return files_.file(name, text);
  }
  static constexpr int kRows = 300'000;
  std::string model_;
};

TEST_F(PredictPiecesTest, AreThoseOfAllRows) {
  const std::string data = many("many.csv");
  input_ = data;  // standard input is read as a whole
  const std::string whole = run({"predict", model_, "-"}).out;
  input_.clear();
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), kRows + 1);
  EXPECT_EQ(run({"predict", model_, data}).out, whole);
  const std::string out = results_.path("out.csv");
  ASSERT_EQ(run({"predict", model_, files_.file("many.csv.gz", io_test::gzip(content_of(data))), "-o", out}).code, 0);
  EXPECT_EQ(content_of(out), whole);
  const Matrix x = numbers(read_data(data).points);
  write_npy(files_.path("many.npy"), x);
  EXPECT_EQ(run({"predict", model_, files_.path("many.npy")}).out, whole);
}

TEST_F(PredictPiecesTest, ErrorsFarInNameTheRowAndLeaveNothing) {
  const std::string out = results_.path("out.csv");
  const auto expect = [&](const std::string& line, const std::string& message) {
    const std::string data = many("bad.csv", 290'000, line);
    expect_error(run({"predict", model_, data, "-o", out}), 1, message);
    EXPECT_FALSE(fs::exists(out));
    expect_error(run({"predict", model_, data}), 1, message);  // nothing on standard output
  };
  expect("1,2,3", "bad.csv: line 290001 has 3 fields, the first line has 2");
  expect("1,two", "bad.csv: row 290000 (line 290001), column \"b\": \"two\" is not a number");
  expect("1,inf", "bad.csv: row 290000 (line 290001), column \"b\": \"inf\" is not a finite number");
  expect("1e200,2", "row 27856, column \"a\" is 1e+200");
  expect("1e200,2", "rows are counted here from row 262145 of the data");
  EXPECT_EQ(results_.list(), std::vector<std::string>{"m.mercer"});
}

TEST_F(PredictPiecesTest, AFileCutShortWhileItIsMappedIsSaid) {
  const std::string pipe = files_.path("pipe"), out = results_.path("out.csv");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const pid_t child = start({MERCER_TEST_COMMAND, "predict", model_, pipe, "-o", out});
  const int fd = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);  // returns when the command reads
  ::kill(child, SIGBUS);                                      // what the system sends for a page behind the end
  const Outcome got = finish(child);
  ::close(fd);
  expect_error(got, 1, "a file was cut short while it was read");
  EXPECT_EQ(results_.list(), std::vector<std::string>{"m.mercer"});
}

class PredictFilesTest : public PredictPiecesTest {
 protected:
  void SetUp() override {
    PredictPiecesTest::SetUp();
    fs::create_directory(files_.path("in"));
    for (int f = 1; f <= 3; ++f) {
      std::string text = "a,b\n";
      for (int i = 0; i < 10; ++i) text += row(f * i) + "\n";
      const bool packed = f == 2;
      files_.file("in/f" + std::to_string(f) + (packed ? ".csv.gz" : ".csv"), packed ? io_test::gzip(text) : text);
    }
    files_.file("in/s.svm", "1 1:2 2:3\n");
    pattern_ = files_.path("in/*");
    // Older than anything written from now on.
    for (const fs::directory_entry& file : fs::directory_iterator(files_.path("in"))) age(file.path(), 60);
    age(model_, 60);
  }
  static void age(const fs::path& file, int seconds) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  }
  static struct stat status_of(const std::string& path) {
    struct stat status = {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status;
  }
  std::vector<std::string> outputs() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(results_.path("out"))) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string pattern_;
};

TEST_F(PredictFilesTest, EachGivesAFileOfItsName) {
  const std::string out = results_.path("out/");
  const Outcome got = run({"predict", model_, pattern_, "-o", out});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_EQ(outputs(), (std::vector<std::string>{"f1.csv", "f2.csv.gz", "f3.csv", "s.csv"}));
  EXPECT_EQ(content_of(out + "f3.csv"), run({"predict", model_, files_.path("in/f3.csv")}).out);
  EXPECT_EQ(content_of(out + "s.csv"), run({"predict", model_, files_.path("in/s.svm")}).out);
  const std::string packed = content_of(out + "f2.csv.gz");
  EXPECT_EQ(packed.substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(shell("gzip -dc " + out + "f2.csv.gz").out, run({"predict", model_, files_.path("in/f2.csv.gz")}).out);
}

TEST_F(PredictFilesTest, GoesOnWhereItStopped) {
  const std::string out = results_.path("out");
  fs::create_directory(out);
  const std::string broken = content_of(files_.path("in/f3.csv"));
  files_.file("in/f3.csv", broken + "1,2,3\n");
  EXPECT_EQ(run({"predict", model_, pattern_, "-o", out}).code, 1);
  EXPECT_EQ(outputs(), (std::vector<std::string>{"f1.csv", "f2.csv.gz"})) << "complete ones, and nothing half-written";
  files_.file("in/f3.csv", broken);
  const struct stat before = status_of(out + "/f1.csv");
  const Outcome got = run({"predict", model_, pattern_, "-o", out});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_TRUE(has(got.err, "2 of 4 files in " + out + " are complete already, and left as they are")) << got;
  EXPECT_EQ(status_of(out + "/f1.csv").st_ino, before.st_ino);
  EXPECT_EQ(outputs().size(), 4u);
  // A newer input is predicted again.
  age(out + "/f1.csv", 30);
  files_.file("in/f1.csv", "a,b\n1,2\n");
  EXPECT_TRUE(has(run({"predict", model_, pattern_, "-o", out}).err, "3 of 4 files"));
  EXPECT_EQ(content_of(out + "/f1.csv"), run({"predict", model_, files_.path("in/f1.csv")}).out);
  // And so is one that is older than the model.
  age(out + "/s.csv", 30);
  age(model_, 10);
  EXPECT_TRUE(has(run({"predict", model_, pattern_, "-o", out}).err, "3 of 4 files"));
}

TEST_F(PredictFilesTest, OtherAnswersAreNotTakenForComplete) {
  std::string train = "a,b,y\n";
  for (int i = 0; i < 40; ++i) train += row(i) + (i % 2 == 0 ? ",u\n" : ",v\n");
  const std::string model = results_.path("classes.mercer"), out = results_.path("out");
  ASSERT_EQ(run({"fit", "kfda", files_.file("classes.csv", train), "--plain", "-o", model}).code, 0);
  age(model, 60);
  ASSERT_EQ(run({"predict", model, files_.path("in/f*"), "-o", out + "/"}).code, 0);
  expect_error(run({"predict", model, files_.path("in/f*"), "--scores", "-o", out}), 1,
               "holds other answers than are asked for");
}

TEST_F(PredictFilesTest, NoInputIsWrittenOver) {
  const std::string in = files_.path("in");
  expect_error(run({"predict", model_, pattern_, "-o", in}), 2, "holds the input");
  expect_error(run({"predict", model_, files_.path("in/f1.csv"), "-o", in + "/"}), 2, "holds the input");
  files_.file("in/f1.tsv", "a\tb\n1\t2\n");
  expect_error(run({"predict", model_, pattern_, "-o", results_.path("out/")}), 2, "would both be predicted into");
  EXPECT_FALSE(fs::exists(results_.path("out")));
  expect_error(run({"predict", model_, "-", "-o", results_.path("")}), 2, "is a folder");
  expect_error(run({"predict", model_, files_.path("in/f3.csv"), "-o", results_.path("no/such/")}), 1,
               "cannot be made");
  expect_error(run({"predict", model_, files_.path("in/f3.csv"), "--json", "-o", results_.path("out/")}), 2, "--json");
}

// More answers than are held in memory until all are there, in the order in which they came.
TEST_F(PredictPiecesTest, SlowAnswersThatWaitInAFileAreThoseOfAnother) {
  std::string train = "a,b", targets;
  for (int t = 0; t < 14; ++t) {
    train += ",y" + std::to_string(t);
    targets += (t == 0 ? "y" : ",y") + std::to_string(t);
  }
  for (int i = 0; i < 40; ++i) {
    train += "\n" + row(i);
    for (int t = 0; t < 14; ++t) train += "," + std::to_string((7 * i + t * i * i) % 13);
  }
  const std::string model = results_.path("many.mercer"), data = many("many.csv"), out = results_.path("f.csv");
  ASSERT_EQ(run({"fit", "ridge", files_.file("t.csv", train + "\n"), "--target", targets, "--plain", "-o", model}).code,
            0);
  const std::string answers = run({"predict", model, data}).out;
  ASSERT_GT(answers.size(), std::size_t{66} << 20);
  ASSERT_EQ(run({"predict", model, data, "-o", out}).code, 0);
  EXPECT_TRUE(answers == content_of(out));
}

}  // namespace
}  // namespace mercer::cli_test::predict_pieces_test
