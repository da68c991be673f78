// Files for the tests of src/io: temporary ones, gzip, and the shared data sets.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "domains/strings/strings.hpp"
#include "io/gzip.hpp"
#include "mercer/error.hpp"
#include "mercer/io.hpp"
#include "points/rep.hpp"

namespace mercer::io_test {

// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mercer-io-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  // Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path(name);
  }
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The text of the Error that `action` throws.
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "no error";
}

inline Matrix numbers(const Points& x) { return Matrix(dense_rows(x).values); }

inline std::vector<std::string> texts(const Points& x) {
  const ObjectsOf<Strings> strings = find_objects<Strings>(x);
  std::vector<std::string> out;
  for (Index i = 0; i < strings.size(); ++i) out.push_back(strings[i]);
  return out;
}

// A file of the shared data, or "" if it is not on this machine.
inline std::string shared_file(const std::string& name) {
  const char* const given = std::getenv("MERCER_DATA");
  const std::filesystem::path beside = std::filesystem::path(__FILE__).parent_path() / "../../../shared/data";
  const std::filesystem::path path = (given != nullptr ? std::filesystem::path(given) : beside) / name;
  return std::filesystem::exists(path) ? path.string() : "";
}

}  // namespace mercer::io_test
