// Names stay inside the folder, whatever they say.
#include "studio/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/files.hpp"
#include "studio/errors.hpp"

namespace mercer::studio {
namespace {

namespace fs = std::filesystem;

class StudioFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(outer.path("in/below/deeper/deepest"));
    std::ofstream(outer.path("in/below/deeper/c.csv")) << "c";
    std::ofstream(outer.path("in/below/deeper/deepest/d.csv")) << "too far down to be listed";
    std::ofstream(outer.path("secret.csv")) << "secret";
    std::ofstream(outer.path("in/a.csv")) << "x,y\n1,2\n";
    std::ofstream(outer.path("in/below/b.csv")) << "b";
    std::ofstream(outer.path("in/picture.png")) << "no data";
    fs::create_symlink(outer.path("secret.csv"), outer.path("in/absolute.csv"));
    fs::create_symlink("../secret.csv", outer.path("in/relative.csv"));
    fs::create_symlink("..", outer.path("in/up"));
    fs::create_symlink("a.csv", outer.path("in/inside.csv"));
    folder = std::make_unique<Folder>(outer.path("in"));
  }
  int status(const std::function<void()>& call) const {
    try {
      call();
    } catch (const Failure& failure) {
      return failure.status;
    }
    return 200;
  }
  io_test::TemporaryFolder outer;
  std::unique_ptr<Folder> folder;
};

TEST_F(StudioFolder, ReadsWhatIsInIt) {
  EXPECT_EQ(folder->read("a.csv"), "x,y\n1,2\n");
  EXPECT_EQ(folder->read("below/b.csv"), "b");
  EXPECT_EQ(folder->read("below/../a.csv"), "x,y\n1,2\n") << "it does not lead out";
  EXPECT_EQ(folder->read("inside.csv"), "x,y\n1,2\n");
  EXPECT_EQ(folder->name(), "in");
}

TEST_F(StudioFolder, NothingLeadsOut) {
  for (const std::string& name :
       {std::string("../secret.csv"), std::string("below/../../secret.csv"), outer.path("secret.csv"),
        std::string("absolute.csv"), std::string("relative.csv"), std::string("up/secret.csv"),
        std::string("/etc/passwd"), std::string(""), std::string("a\nb"), std::string("/proc/self/root/etc/passwd")}) {
    EXPECT_EQ(status([&] { (void)folder->read(name); }), 403) << name;
    EXPECT_NE(status([&] { folder->write_new(name, "x"); }), 200) << name;
  }
  EXPECT_EQ(status([&] { (void)folder->read(std::string("a.csv\0../secret.csv", 19)); }), 403);
  EXPECT_EQ(status([&] { (void)folder->read("gone.csv"); }), 404);
  EXPECT_EQ(status([&] { (void)folder->read("below"); }), 422);
  EXPECT_EQ(io_test::content_of(outer.path("secret.csv")), "secret");
}

TEST_F(StudioFolder, WritesNewNamesOnly) {
  folder->write_new("new.mercer", "model");
  EXPECT_EQ(folder->read("new.mercer"), "model");
  EXPECT_EQ(status([&] { folder->write_new("new.mercer", "other"); }), 409);
  EXPECT_EQ(status([&] { folder->write_new("a.csv", "other"); }), 409);
  EXPECT_EQ(status([&] { folder->write_new("inside.csv", "other"); }), 409) << "a link is a name that is taken";
  EXPECT_EQ(folder->read("a.csv"), "x,y\n1,2\n");
}

TEST_F(StudioFolder, ListsDataAndModels) {
  std::vector<std::string> names;
  for (const Folder::File& file : folder->files()) names.push_back(file.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a.csv", "below/b.csv", "below/deeper/c.csv"}));
}

}  // namespace
}  // namespace mercer::studio
