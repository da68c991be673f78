#include "file/file_hash.hpp"

#include <filesystem>
#include <fstream>

#include "base/sha256.hpp"

namespace mercer {

std::string file_hash(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string piece(1U << 20, '\0');
  Sha256 hash;
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    hash.add({piece.data(), static_cast<std::size_t>(file.gcount())});
  }
  return file.eof() ? hash.digits() : std::string();
}

}  // namespace mercer
