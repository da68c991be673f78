#include "mercer/model_file.hpp"

#include <zlib.h>

#include <charconv>
#include <new>
#include <ostream>
#include <stdexcept>

#include "base/fail.hpp"
#include "file/bytes.hpp"
#include "io/model_parts.hpp"
#include "io/readers.hpp"

namespace mercer {

namespace {

using namespace detail;

constexpr std::string_view kMagic = "mercer-model ";
constexpr std::size_t kChecksumBytes = 4;

// "mercer-model 2 4711\n": the format, and the bytes of the whole file. The number counts its own digits.
std::string first_line(int format, std::uint64_t rest) {
  std::uint64_t total = rest;
  while (true) {
    std::string line = fmt::format("{}{} {}\n", kMagic, format, total);
    if (line.size() + rest == total) return line;
    total = line.size() + rest;
  }
}

// What an error says after its kind, on one line and not too long: hostile texts may be quoted in it.
std::string message_of(const Error& error) {
  constexpr std::size_t most = 300;
  std::string text = error.message().substr(0, most);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return text;
}

// Takes a whole number and the character after it off the front of the text.
std::uint64_t take_whole(std::string_view& text, char after, const std::string& name) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || next == end || *next != after) {
    fail(ErrorKind::file, "{}: its first line is damaged; fit the model again, or fetch another copy", name);
  }
  text.remove_prefix(static_cast<std::size_t>(next - text.data()) + 1);
  return value;
}

std::uint32_t checksum_at_end(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + bytes.size() - kChecksumBytes, kChecksumBytes);
  return value;
}

// The format, and the header and the blocks of a file whose first line and checksum are as they should be.
struct Content {
  Index format;
  std::string_view bytes;
};
Content content_of(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kMagic)) {
    if (bytes.starts_with("svm_type ")) {
      fail(ErrorKind::file, "{}: is a LIBSVM model; convert it to a Mercer model first", name);
    }
    fail(ErrorKind::file, "{}: is no Mercer model; name a file that a fit has written", name);
  }
  std::string_view rest = bytes.substr(kMagic.size());
  const std::uint64_t format = take_whole(rest, ' ', name);
  if (format > kModelFormat) {
    fail(ErrorKind::file,
         "{}: was written by a newer Mercer (format {}); this one reads up to format {}: update it, or fit the model "
         "again",
         name, format, kModelFormat);
  }
  if (format < kOldestFormat)
    fail(ErrorKind::file, "{}: there is no model format {}; fit the model again", name, format);
  const std::uint64_t size = take_whole(rest, '\n', name);
  if (size > bytes.size()) {
    fail(ErrorKind::file, "{}: cut short: {} bytes expected, {} found; fetch another copy, or fit the model again",
         name, size, bytes.size());
  }
  const bool whole = size == bytes.size() && rest.size() > kChecksumBytes;
  const auto* const data = reinterpret_cast<const Bytef*>(bytes.data());
  if (!whole || crc32_z(0, data, bytes.size() - kChecksumBytes) != checksum_at_end(bytes)) {
    fail(ErrorKind::file, "{}: damaged: its checksum does not fit; fetch another copy, or fit the model again", name);
  }
  return {static_cast<Index>(format), rest.substr(0, rest.size() - kChecksumBytes)};
}

Model parse_content(const Content& content) {
  const std::size_t end = content.bytes.find('\n');
  if (end == content.bytes.npos) fail(ErrorKind::file, "its header does not end");
  const Json header = parse_json(content.bytes.substr(0, end), kDeepestHeader);
  const BlockReader blocks(member(header, "blocks"), content.bytes.substr(end + 1));
  return Model(parts_from(header, content.format, blocks));
}

}  // namespace

void save(std::ostream& out, const Model& m) {
  BlockWriter blocks;
  const Json header = header_of(m.parts(), blocks);
  std::string line;
  try {
    line = header.dump({.exact = true}) + '\n';
  } catch (const JsonError&) {
    fail(ErrorKind::usage, "save: the name of a setting is not UTF-8 text; rename it");
  }
  Sink sink(out);
  const std::string first = first_line(format_of(m.parts()), line.size() + blocks.bytes() + kChecksumBytes);
  sink.write(first.data(), first.size());
  sink.write(line.data(), line.size());
  blocks.write(sink);
  const std::uint32_t checksum = sink.checksum();
  sink.write(&checksum, sizeof(checksum));
}

void save(const std::string& path, const Model& m) {
  write_atomically(path, [&](std::ostream& out) { save(out, m); });
}

Model load(const std::string& path) { return load_bytes(read_bytes(path).text, display_name(path)); }

Model load_bytes(std::string_view bytes, const std::string& name) {
  const Content content = content_of(bytes, name);
  try {
    return parse_content(content);
  } catch (const Error& error) {
    fail(ErrorKind::file, "{}: damaged: {}; fit the model again, or fetch another copy", name, message_of(error));
  } catch (const std::bad_alloc&) {
    fail(ErrorKind::file, "{}: does not fit into memory", name);
  } catch (const std::length_error&) {
    fail(ErrorKind::file, "{}: does not fit into memory", name);
  }
}

}  // namespace mercer
