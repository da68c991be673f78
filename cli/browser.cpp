#include "browser.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/fail.hpp"
#include "base/text.hpp"

extern char** environ;

namespace mercer::cli {

namespace {

namespace fs = std::filesystem;

std::string find_browser() {
  const char* const path = std::getenv("PATH");
  for (const std::string name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}) {
    for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
      std::string file = folder + "/" + name;
      if (!folder.empty() && access(file.c_str(), X_OK) == 0) return file;
    }
  }
  fail(ErrorKind::file,
       "--pdf: no chromium is found; install it (Debian: chromium), or open the page in a browser and print it");
}

std::string as_url(const fs::path& file) {
  std::string out = "file://";
  for (const unsigned char c : fs::absolute(file).string()) {
    const bool plain =
        std::isalnum(c) != 0 || std::string_view("/-_.~").find(static_cast<char>(c)) != std::string::npos;
    out += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return out;
}

// A profile of its own, so that a browser that runs already has no part in it; removed in the end.
class Profile {
 public:
  Profile() {
    std::string name = (fs::temp_directory_path() / "mercer-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) fail(ErrorKind::file, "--pdf: no folder can be made beside {}", name);
    folder_ = name;
  }
  ~Profile() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  std::string folder() const { return folder_.string(); }

 private:
  fs::path folder_;
};

// True where it ended well. What it says is not for our user.
bool run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  }
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void print_to_pdf(const std::string& page, const std::string& pdf) {
  const Profile profile;
  std::vector<std::string> words = {find_browser(),
                                    "--headless",
                                    "--disable-gpu",
                                    "--no-first-run",
                                    "--user-data-dir=" + profile.folder(),
                                    "--no-pdf-header-footer",
                                    "--virtual-time-budget=10000",
                                    "--print-to-pdf=" + fs::absolute(pdf).string()};
  if (geteuid() == 0) words.emplace_back("--no-sandbox");  // chromium has none for root
  words.push_back(as_url(page));
  std::error_code ignored;
  fs::remove(pdf, ignored);
  const std::string browser = words[0];
  if (!run(std::move(words)) || fs::file_size(pdf, ignored) == 0 || ignored) {
    fail(ErrorKind::file, "--pdf: {} wrote no {}; open {} in a browser and print it", browser, pdf, page);
  }
}

}  // namespace mercer::cli
