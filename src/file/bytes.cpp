#include "file/bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>

#include "base/fail.hpp"
#include "base/memory.hpp"

namespace mercer {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ > STDIN_FILENO) ::close(fd_);  // standard input is not ours
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail_to_read(const std::string& name, int error) {
  if (error == ENOENT) fail(ErrorKind::file, "{}: no such file; check the name and the folder", name);
  if (error == EISDIR) fail(ErrorKind::file, "{}: is a folder; name a file in it", name);
  if (error == EACCES) fail(ErrorKind::file, "{}: may not be read; check its permissions", name);
  fail(ErrorKind::file, "{}: cannot be read: {}", name, std::strerror(error));
}

[[noreturn]] void fail_for_memory(const std::string& name) {
  fail(ErrorKind::file, "{}: does not fit into memory; split the file, or give an uncompressed one", name);
}

Bytes own(std::string content) {
  auto owner = std::make_shared<const std::string>(std::move(content));
  return {*owner, owner};
}

Bytes map_file(int fd, std::size_t size, const std::string& name) {
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (start == MAP_FAILED) fail_to_read(name, errno);
  std::shared_ptr<const void> owner(start, [size](void* p) { ::munmap(p, size); });
  return {{static_cast<const char*>(start), size}, std::move(owner)};
}

// A pipe may go on for ever: what no longer fits is refused before the system runs out of memory.
void grow_to(std::string& content, std::size_t size, const std::string& name) {
  if (static_cast<double>(size) > available_memory()) fail_for_memory(name);
  content.resize(size);
}

Bytes read_stream(int fd, const std::string& name) {
  constexpr std::size_t least = std::size_t{1} << 20;
  std::string content;
  std::size_t filled = 0;
  try {
    while (true) {
      if (content.size() - filled < least) grow_to(content, std::max(2 * content.size(), 2 * least), name);
      const ssize_t got = ::read(fd, content.data() + filled, content.size() - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_to_read(name, errno);
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
  } catch (const std::bad_alloc&) {
    fail_for_memory(name);
  } catch (const std::length_error&) {
    fail_for_memory(name);
  }
  content.resize(filled);
  return own(std::move(content));
}

// The output grows as it is produced, so a header's false promise of a large size costs nothing.
std::string inflate_all(std::string_view text, const std::string& name, std::size_t most_bytes) {
  GzipReader packed(text, name);
  std::string content;
  std::size_t filled = 0;
  while (!packed.is_end()) {
    if (filled == content.size()) content.resize(std::max(2 * content.size(), std::size_t{1} << 16));
    filled += packed.read(content.data() + filled, content.size() - filled);
    if (filled > most_bytes) {
      fail(ErrorKind::file, "{}: holds more than {} MB when decompressed; split the file", name, most_bytes >> 20);
    }
  }
  content.resize(filled);
  return content;
}

}  // namespace

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

bool is_gzip(std::string_view text) { return text.starts_with("\x1f\x8b"); }

struct GzipReader::Stream {
  Stream() {
    if (inflateInit2(&z, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~Stream() { inflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream z = {};
};

GzipReader::GzipReader(std::string_view packed, std::string name)
    : stream_(std::make_unique<Stream>()), rest_(packed), size_(packed.size()), name_(std::move(name)) {}

GzipReader::~GzipReader() = default;

std::size_t GzipReader::read(char* out, std::size_t size) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  z_stream& z = stream_->z;
  std::size_t filled = 0;
  while (!end_ && filled < size) {
    if (rest_.empty()) {
      fail(ErrorKind::file,
           "{}: truncated gzip data: it ends after {} decompressed bytes; make or fetch the file again", name_, given_);
    }
    const std::size_t in = std::min(rest_.size(), most), room = std::min(size - filled, most);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    z.avail_in = static_cast<uInt>(in);
    z.next_out = reinterpret_cast<Bytef*>(out + filled);
    z.avail_out = static_cast<uInt>(room);
    const int status = inflate(&z, Z_NO_FLUSH);
    rest_.remove_prefix(in - z.avail_in);
    filled += room - z.avail_out;
    given_ += room - z.avail_out;
    if (status == Z_STREAM_END) {
      // Tape padding after the last member is harmless; anything else must be a further member.
      end_ = rest_.find_first_not_of('\0') == std::string_view::npos;
      if (!end_ && !is_gzip(rest_)) {
        fail(ErrorKind::file, "{}: corrupted: {} bytes after the end of the gzip data; make or fetch the file again",
             name_, rest_.size());
      }
      if (!end_) inflateReset(&z);
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      fail(ErrorKind::file, "{}: corrupted gzip data ({}) after {} good bytes; make or fetch the file again", name_,
           z.msg != nullptr ? z.msg : "unreadable", given_);
    }
  }
  return filled;
}

Bytes gunzip(std::string_view text, const std::string& name, std::size_t most) {
  try {
    return own(inflate_all(text, name, most));
  } catch (const std::bad_alloc&) {
    fail_for_memory(name);
  } catch (const std::length_error&) {
    fail_for_memory(name);
  }
}

Bytes map_bytes(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_to_read(path, errno);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) fail_to_read(path, errno);
  if (S_ISDIR(status.st_mode)) fail_to_read(path, EISDIR);
  if (!S_ISREG(status.st_mode)) fail(ErrorKind::file, "{}: is no regular file, and can be read once only", path);
  if (status.st_size == 0) fail(ErrorKind::data, "{}: the file is empty", path);
  return map_file(file.get(), static_cast<std::size_t>(status.st_size), path);
}

Bytes read_bytes(const std::string& path) {
  const std::string name = display_name(path);
  const Descriptor file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_to_read(name, errno);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) fail_to_read(name, errno);
  if (S_ISDIR(status.st_mode)) fail_to_read(name, EISDIR);
  // Of a device such as /dev/zero there is no end; /dev/null, which is empty, and a terminal have one.
  if (S_ISCHR(status.st_mode) && ::isatty(file.get()) == 0) {
    char first = 0;
    if (::read(file.get(), &first, 1) != 0) {
      fail(ErrorKind::file, "{}: is a device, which has no end; name a file, or - for standard input", name);
    }
  }
  // Standard input may be a file that is already read in part: mapping would start over.
  const bool mappable = S_ISREG(status.st_mode) && status.st_size > 0 && path != "-";
  Bytes bytes =
      mappable ? map_file(file.get(), static_cast<std::size_t>(status.st_size), name) : read_stream(file.get(), name);
  return is_gzip(bytes.text) ? gunzip(bytes.text, name) : bytes;
}

}  // namespace mercer
