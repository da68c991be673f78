// A stream that packs what is written to it.
#pragma once

#include <memory>
#include <ostream>
#include <streambuf>

namespace mercer {

// As gzip does at its usual level, without a name and a time, so that the same text gives the same bytes. finish() ends
// it; nothing is whole without.
class GzipWriter final : public std::streambuf {
 public:
  explicit GzipWriter(std::ostream& out);
  ~GzipWriter() override;
  void finish();

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  void pack(const char* text, std::size_t size, bool last);

  std::ostream& out_;
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace mercer
