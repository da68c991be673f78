#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "base/fail.hpp"
#include "io/csv_field.hpp"
#include "io/unfinished.hpp"
#include "mercer/io.hpp"

namespace mercer {

namespace {

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  fail(ErrorKind::file, "{}: cannot be written: {}", path, std::strerror(error));
}

// Calls `write` on a stream to `file` and makes sure that all of it arrived. `path` is the name for errors.
void write_stream(const std::string& file, const std::string& path, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  if (!out) fail_to_write(path, errno);
  write(out);
  out.close();
  if (!out) fail_to_write(path, errno != 0 ? errno : EIO);
}

// Names of files that are being written; more than so many at once are not known here.
std::atomic<const char*> unfinished[16];

// While it lives, a signal handler can find the file.
class Unfinished {
 public:
  explicit Unfinished(const char* name) {
    for (std::atomic<const char*>& slot : unfinished) {
      const char* free = nullptr;
      if (!slot.compare_exchange_strong(free, name)) continue;
      slot_ = &slot;
      return;
    }
  }
  ~Unfinished() {
    if (slot_ != nullptr) *slot_ = nullptr;
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  std::atomic<const char*>* slot_ = nullptr;
};

// A write beyond `ulimit -f` sends a signal that ends the process, unless somebody cares. While this lives the write
// fails instead, on this thread, and the file can be removed.
class FileLimitIsError {
 public:
  FileLimitIsError() {
    sigemptyset(&limit_);
    sigaddset(&limit_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit_, &before_);
  }
  ~FileLimitIsError() {
    const timespec now = {};
    while (sigtimedwait(&limit_, nullptr, &now) > 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileLimitIsError(const FileLimitIsError&) = delete;
  FileLimitIsError& operator=(const FileLimitIsError&) = delete;

 private:
  sigset_t limit_, before_;
};

// A new empty file; removed again unless it is kept.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& target, const std::string& path) {
    static std::atomic<unsigned> count{0};
    do {
      name_ = fmt::format("{}.{}-{}.tmp", target, ::getpid(), count++);
      fd_ = ::open(name_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    } while (fd_ < 0 && errno == EEXIST);
    if (fd_ < 0 && errno == ENOENT) {
      fail(ErrorKind::file, "{}: cannot be written: its folder does not exist; create it first", path);
    }
    if (fd_ < 0) fail_to_write(path, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    ::close(fd_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  const std::string& name() const { return name_; }
  void set_mode(mode_t mode) { ::fchmod(fd_, mode); }
  void keep_as(const std::string& target, const std::string& path) {
    // Without this, a crash of the machine soon after could leave the new name with an empty file.
    if (::fsync(fd_) != 0 && errno != EINVAL) fail_to_write(path, errno);
    if (::rename(name_.c_str(), target.c_str()) != 0) fail_to_write(path, errno);
    name_.clear();
  }

 private:
  std::string name_;
  int fd_ = -1;
};

// Whether it is such a file beside `target`, of a process that is no more.
bool is_abandoned(const std::string& name, const std::string& target) {
  if (!name.starts_with(target + ".")) return false;
  int process = 0, end = 0;
  unsigned count = 0;
  const char* const rest = name.c_str() + target.size();
  return std::sscanf(rest, ".%d-%u.tmp%n", &process, &count, &end) == 2 && end > 0 && rest[end] == '\0' &&
         process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

// Numbers as text, handed to the stream a block at a time.
class TextBlocks {
 public:
  explicit TextBlocks(std::ostream& out) : out_(out) {}
  ~TextBlocks() { out_.write(block_, size_); }

  void put(char c) {
    reserve(1);
    block_[size_++] = c;
  }
  void put(double value) {
    constexpr std::ptrdiff_t longest = 32;
    reserve(longest);
    size_ = std::to_chars(block_ + size_, block_ + size_ + longest, value).ptr - block_;
  }

 private:
  void reserve(std::ptrdiff_t more) {
    if (size_ + more <= static_cast<std::ptrdiff_t>(sizeof(block_))) return;
    out_.write(block_, size_);
    size_ = 0;
  }

  std::ostream& out_;
  char block_[1 << 16];
  std::ptrdiff_t size_ = 0;
};

}  // namespace

void detail::remove_unfinished_files() noexcept {
  for (const std::atomic<const char*>& slot : unfinished) {
    if (const char* name = slot; name != nullptr) ::unlink(name);
  }
}

void detail::remove_abandoned_files(const std::string& path) {
  std::error_code none;
  const std::filesystem::path file(path);
  for (const auto& beside :
       std::filesystem::directory_iterator(file.has_parent_path() ? file.parent_path() : ".", none)) {
    if (is_abandoned(beside.path().filename().string(), file.filename().string())) {
      std::filesystem::remove(beside.path(), none);
    }
  }
}

void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& write) {
  struct stat status = {};
  std::string target = path;
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists) {
    if (S_ISDIR(status.st_mode)) fail(ErrorKind::file, "{}: is a folder; name a file in it", path);
    if (!S_ISREG(status.st_mode)) return write_stream(path, path, write);
    if (::access(path.c_str(), W_OK) != 0) fail_to_write(path, errno);  // renaming would not mind
    // Through a symbolic link, the file it points to is the one to replace.
    target = std::filesystem::canonical(path).string();
  }
  const FileLimitIsError error_and_no_signal;
  TemporaryFile file(target, path);
  const Unfinished findable(file.name().c_str());
  write_stream(file.name(), path, write);
  if (exists) file.set_mode(status.st_mode & 07777);
  file.keep_as(target, path);
}

void write_npy(const std::string& path, MatrixView m) {
  static_assert(std::endian::native == std::endian::little, "the header promises little-endian numbers");
  // The magic, version and length take 10 bytes; the header is padded so that the values start at a multiple of 64.
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", m.rows(), m.cols());
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  write_atomically(path, [&](std::ostream& out) {
    const char length[] = {static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
    out.write("\x93NUMPY\x01\x00", 8);
    out.write(length, 2);
    out << header;
    for (Index i = 0; i < m.rows(); ++i) {
      out.write(reinterpret_cast<const char*>(m.row(i)), m.cols() * static_cast<Index>(sizeof(double)));
    }
  });
}

void write_csv(std::ostream& out, MatrixView m, std::span<const std::string> header) {
  if (!header.empty() && static_cast<Index>(header.size()) != m.cols()) {
    fail(ErrorKind::shape, "write_csv: {} names for {} columns; give one per column", header.size(), m.cols());
  }
  for (std::size_t j = 0; j < header.size(); ++j) {
    out << csv_field(header[j]) << (j + 1 < header.size() ? ',' : '\n');
  }
  TextBlocks block(out);
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) {
      if (j > 0) block.put(',');
      block.put(m(i, j));
    }
    block.put('\n');
  }
}

void write_csv(const std::string& path, MatrixView m, std::span<const std::string> header) {
  write_atomically(path, [&](std::ostream& out) { write_csv(out, m, header); });
}

}  // namespace mercer
