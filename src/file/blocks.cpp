#include "file/blocks.hpp"

#include <zlib.h>

#include <algorithm>
#include <ostream>

#include "base/fail.hpp"
#include "file/fields.hpp"

namespace mercer::detail {

void Sink::write(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  checksum_ = static_cast<std::uint32_t>(crc32_z(checksum_, static_cast<const Bytef*>(data), bytes));
}

void BlockWriter::append(std::string name, std::string_view type, std::size_t width, std::vector<Index> shape,
                         std::function<void(Sink&)> write) {
  std::uint64_t cells = 1;
  for (const Index extent : shape) cells *= static_cast<std::uint64_t>(extent);
  list_.push_back({{"name", std::move(name)}, {"type", type}, {"shape", std::move(shape)}, {"offset", bytes_}});
  bytes_ += cells * width;
  writes_.push_back(std::move(write));
}

void BlockWriter::write(Sink& sink) const {
  for (const auto& write : writes_) write(sink);
}

namespace {

std::size_t width_of(const std::string& type) {
  if (type == "f64" || type == "i64") return 8;
  if (type == "f32" || type == "i32") return 4;
  if (type == "u8") return 1;
  fail(ErrorKind::file, "a block has the unknown type {}", shown(type));
}

}  // namespace

BlockReader::BlockReader(const Json& list, std::string_view bytes) {
  if (!list.is_array()) fail(ErrorKind::file, "its header has no list of blocks");
  std::size_t end = 0;
  for (const Json& entry : list) {
    const std::string name = text(member(entry, "name"));
    Block block{text(member(entry, "type")), {}, {}};
    const std::size_t width = width_of(block.type), left = bytes.size() - end;
    // Products are only followed while they are within the file, so they cannot overflow; an extent is bounded even
    // where another one is 0.
    std::size_t size = width;
    for (const Json& number : detail::list(entry, "shape")) {
      const auto extent = static_cast<std::size_t>(whole(number));
      if (extent > bytes.size() || (extent > 0 && size > left / extent)) {
        fail(ErrorKind::file, "the block {} is larger than the file", shown(name));
      }
      size *= extent;
      block.shape.push_back(static_cast<Index>(extent));
    }
    if (size > left) fail(ErrorKind::file, "the block {} is larger than the file", shown(name));
    if (static_cast<std::size_t>(whole(member(entry, "offset"))) != end) {
      fail(ErrorKind::file, "the block {} does not follow the one before", shown(name));
    }
    block.bytes = bytes.substr(end, size);
    end += size;
    if (!blocks_.emplace(name, std::move(block)).second) fail(ErrorKind::file, "two blocks are called {}", shown(name));
  }
  if (end != bytes.size()) fail(ErrorKind::file, "{} bytes belong to no block", bytes.size() - end);
}

const BlockReader::Block& BlockReader::find(const std::string& name, std::string_view type,
                                            std::size_t dimensions) const {
  const auto found = blocks_.find(name);
  if (found == blocks_.end()) fail(ErrorKind::file, "the block {} is missing", shown(name));
  const Block& block = found->second;
  if (block.type != type || block.shape.size() != dimensions) {
    fail(ErrorKind::file, "the block {} must be of type {} in {} dimensions, not of type {} in {}", shown(name), type,
         dimensions, shown(block.type), block.shape.size());
  }
  return block;
}

Matrix BlockReader::matrix(const std::string& name) const {
  const Block& block = find(name, "f64", 2);
  Matrix out = Matrix::uninitialized(block.shape[0], block.shape[1]);
  if (!block.bytes.empty()) std::memcpy(out.data(), block.bytes.data(), block.bytes.size());
  return out;
}

}  // namespace mercer::detail
