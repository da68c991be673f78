// The content of a file as one piece of memory: mapped, read from a pipe, or decompressed.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace mercer {

struct Bytes {
  std::string_view text;
  std::shared_ptr<const void> owner;  // keeps the memory behind `text`
};

// The file's content, decompressed if it starts like gzip. `path` "-" is standard input.
Bytes read_bytes(const std::string& path);

// The same as it lies on the disk, mapped. Throws unless it is a regular file that holds something.
Bytes map_bytes(const std::string& path);

bool is_gzip(std::string_view text);
// A gzip file from front to back. Throws where it is damaged or cut short.
class GzipReader {
 public:
  // `packed` must outlive this. `name` is the file's, for errors.
  GzipReader(std::string_view packed, std::string name);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  std::size_t read(char* out, std::size_t size);  // the next bytes; fewer than asked for at the end alone
  bool is_end() const { return end_; }
  std::size_t taken() const { return size_ - rest_.size(); }  // packed bytes until now

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::string_view rest_;
  std::size_t size_;
  std::size_t given_ = 0;
  bool end_ = false;
  std::string name_;
};
// All members of a gzip file. `name` is the file's, for errors. Throws where they are more than `most` bytes.
Bytes gunzip(std::string_view text, const std::string& name,
             std::size_t most = std::numeric_limits<std::size_t>::max());

// What errors call the file: its path, or "standard input".
std::string display_name(const std::string& path);

}  // namespace mercer
