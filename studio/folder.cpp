#include "studio/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "studio/errors.hpp"
#include "studio/limits.hpp"

namespace mercer::studio {

namespace {

constexpr std::size_t kMostFiles = 1000, kLongestName = 255;

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

[[noreturn]] void refuse(const std::string& name, int error) {
  const std::string shown = mercer::quoted(shortened(name));
  switch (error) {
    case ENOENT:
    case ENOTDIR: throw Failure(404, fmt::format("{}: there is no such file in the folder", shown), "name");
    case EXDEV:
    case ELOOP: throw Failure(403, fmt::format("{}: leads out of the folder", shown), "name");
    case EEXIST:
      throw Failure(409, fmt::format("{}: there is a file of this name already", shown), "name", "take another name");
    default: throw Failure(422, fmt::format("{}: {}", shown, std::strerror(error)), "name");
  }
}

void require_plain(const std::string& name) {
  const bool strange = std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (name.empty() || name.size() > kLongestName || strange || name.starts_with('/')) {
    throw Failure(403, fmt::format("{}: is not a name in the folder", mercer::quoted(shortened(name))), "name");
  }
}

bool is_of_interest(const std::string& name) {
  std::string bare = name;
  if (bare.ends_with(".gz")) bare.resize(bare.size() - 3);
  for (const char* ending : {".csv", ".tsv", ".tab", ".txt", ".svm", ".libsvm", ".svmlight", ".npy", ".idx", ".fasta",
                             ".fa", ".mercer", "-ubyte"}) {
    if (bare.ends_with(ending)) return true;
  }
  return false;
}

}  // namespace

Folder::Folder(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(ErrorKind::file, "{}: cannot be opened: {}", path, std::strerror(errno));
}

Folder::~Folder() { ::close(descriptor_); }

std::string Folder::name() const {
  const std::filesystem::path whole = std::filesystem::absolute(path_).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

int Folder::open(const std::string& name, int flags) const {
  require_plain(name);
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  how.mode = (flags & O_CREAT) != 0 ? 0666 : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const long got = ::syscall(SYS_openat2, descriptor_, name.c_str(), &how, sizeof how);
  if (got < 0) refuse(name, errno);
  return static_cast<int>(got);
}

std::vector<Folder::File> Folder::files() const {
  std::vector<File> out;
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(path_, options, ignored); at != fs::end(at); at.increment(ignored)) {
    if (ignored || out.size() >= kMostFiles) break;
    const bool hidden = at->path().filename().string().starts_with('.');
    if (hidden || at.depth() >= 2) at.disable_recursion_pending();
    if (hidden || at->is_symlink(ignored) || !at->is_regular_file(ignored)) continue;
    const std::string name = at->path().lexically_relative(path_).string();
    if (is_of_interest(name)) out.push_back({name, at->file_size(ignored)});
  }
  std::sort(out.begin(), out.end(), [](const File& a, const File& b) { return a.name < b.name; });
  return out;
}

std::string Folder::read(const std::string& name) const {
  const Descriptor file{open(name, O_RDONLY)};
  struct stat about {};
  if (::fstat(file.number, &about) != 0) refuse(name, errno);
  if (!S_ISREG(about.st_mode)) throw Failure(422, fmt::format("{}: is not a file", mercer::quoted(name)), "name");
  const auto too_large = [&] {
    throw Failure(413, fmt::format("{}: is larger than {} MB", mercer::quoted(name), kMostBody >> 20), "name",
                  "take some of its rows, or the mercer command");
  };
  if (static_cast<std::uint64_t>(about.st_size) > kMostBody) too_large();
  std::string out(static_cast<std::size_t>(about.st_size) + 1, '\0');
  std::size_t have = 0;
  while (true) {
    if (have == out.size()) out.resize(2 * out.size());  // it grew meanwhile
    const ssize_t got = ::read(file.number, out.data() + have, out.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(name, errno);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
    if (have > kMostBody) too_large();
  }
  out.resize(have);
  return out;
}

void Folder::write_new(const std::string& name, const std::string& content) const {
  const Descriptor file{open(name, O_WRONLY | O_CREAT | O_EXCL)};
  std::string_view rest = content;
  while (!rest.empty()) {
    const ssize_t put = ::write(file.number, rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      const int error = errno;
      // By the number of what was opened: the name may mean another file by now.
      const std::string own = fmt::format("/proc/self/fd/{}", file.number);
      std::error_code ignored;
      const auto real = std::filesystem::read_symlink(own, ignored);
      if (!ignored) std::filesystem::remove(real, ignored);
      refuse(name, error);
    }
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace mercer::studio
