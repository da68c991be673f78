#include "file/gzip_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace mercer {

struct GzipWriter::Stream {
  Stream() {
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Stream() { deflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream z = {};
};

GzipWriter::GzipWriter(std::ostream& out) : out_(out), stream_(std::make_unique<Stream>()) {}

GzipWriter::~GzipWriter() = default;

void GzipWriter::finish() { pack(nullptr, 0, true); }

GzipWriter::int_type GzipWriter::overflow(int_type c) {
  const char one = traits_type::to_char_type(c);
  if (!traits_type::eq_int_type(c, traits_type::eof())) pack(&one, 1, false);
  return out_ ? traits_type::not_eof(c) : traits_type::eof();
}

std::streamsize GzipWriter::xsputn(const char* text, std::streamsize size) {
  pack(text, static_cast<std::size_t>(size), false);
  return out_ ? size : 0;
}

void GzipWriter::pack(const char* text, std::size_t size, bool last) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  z_stream& z = stream_->z;
  do {
    const std::size_t now = std::min(size, most);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text));
    z.avail_in = static_cast<uInt>(now);
    text += now;
    size -= now;
    do {
      char packed[1 << 14];
      z.next_out = reinterpret_cast<Bytef*>(packed);
      z.avail_out = sizeof(packed);
      deflate(&z, last && size == 0 ? Z_FINISH : Z_NO_FLUSH);
      out_.write(packed, static_cast<std::streamsize>(sizeof(packed) - z.avail_out));
    } while (z.avail_out == 0);
  } while (size > 0);
}

}  // namespace mercer
