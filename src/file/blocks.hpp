// The binary part of a model file: named little-endian arrays that follow each other without gaps.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "file/json_fields.hpp"

namespace mercer::detail {

static_assert(std::endian::native == std::endian::little, "blocks are written as they lie in memory");

template <class T>
constexpr std::string_view block_type() {
  if constexpr (std::is_same_v<T, double>) return "f64";
  if constexpr (std::is_same_v<T, float>) return "f32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "i64";
  if constexpr (std::is_same_v<T, std::int32_t>) return "i32";
  if constexpr (std::is_same_v<T, char>) return "u8";
}

// Bytes on their way to a stream, and their CRC-32.
class Sink {
 public:
  explicit Sink(std::ostream& out) : out_(out) {}
  void write(const void* data, std::size_t bytes);
  std::uint32_t checksum() const { return checksum_; }

 private:
  std::ostream& out_;
  std::uint32_t checksum_ = 0;
};

// Collects what is to be written; the numbers themselves stay where they are until write().
class BlockWriter {
 public:
  template <class T>
  void add(std::string name, const std::vector<T>& values) {
    add<T>(std::move(name), {static_cast<Index>(values.size())},
           [&values](Sink& sink) { sink.write(values.data(), values.size() * sizeof(T)); });
  }
  template <class T>
  void add(std::string name, BasicMatrixView<const T> values) {
    add<T>(std::move(name), {values.rows(), values.cols()}, [values](Sink& sink) {
      for (Index i = 0; i < values.rows(); ++i) {
        sink.write(values.row(i), static_cast<std::size_t>(values.cols()) * sizeof(T));
      }
    });
  }
  // `write` must give as many T as the shape says.
  template <class T>
  void add(std::string name, std::vector<Index> shape, std::function<void(Sink&)> write) {
    const std::string_view type = block_type<T>();
    append(std::move(name), type, sizeof(T), std::move(shape), std::move(write));
  }

  const Json& list() const { return list_; }  // name, type, shape and offset of each, for the header
  std::uint64_t bytes() const { return bytes_; }
  void write(Sink& sink) const;

 private:
  void append(std::string name, std::string_view type, std::size_t width, std::vector<Index> shape,
              std::function<void(Sink&)> write);

  Json list_ = Json::array();
  std::uint64_t bytes_ = 0;
  std::vector<std::function<void(Sink&)>> writes_;
};

// Finds blocks by name, in memory that outlives it. Each must be of the type and the number of dimensions asked for.
// Blocks cannot overlap, so all of them together ask for no more memory than the file has bytes.
class BlockReader {
 public:
  BlockReader(const Json& list, std::string_view bytes);

  template <class T>
  std::vector<T> numbers(const std::string& name) const {
    return copy<T>(find(name, block_type<T>(), 1));
  }
  template <class T>
  struct Rows {
    Index rows, cols;
    std::vector<T> values;
  };
  template <class T>
  Rows<T> rows(const std::string& name) const {
    const Block& block = find(name, block_type<T>(), 2);
    return {block.shape[0], block.shape[1], copy<T>(block)};
  }
  Matrix matrix(const std::string& name) const;
  bool has(const std::string& name) const { return blocks_.contains(name); }

 private:
  struct Block {
    std::string type;
    std::vector<Index> shape;
    std::string_view bytes;
  };
  const Block& find(const std::string& name, std::string_view type, std::size_t dimensions) const;
  template <class T>
  static std::vector<T> copy(const Block& block) {
    std::vector<T> values(block.bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), block.bytes.data(), block.bytes.size());
    return values;
  }

  std::map<std::string, Block> blocks_;
};

}  // namespace mercer::detail
