#include "file/file_hash.hpp"

#include <filesystem>
#include <fstream>

#include "base/sha256.hpp"
#include "file/file_set.hpp"

namespace mercer {

namespace {

bool add_file(const std::string& path, Sha256& hash) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string piece(1U << 20, '\0');
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    hash.add({piece.data(), static_cast<std::size_t>(file.gcount())});
  }
  return file.eof();
}

}  // namespace

std::string file_hash(const std::string& path) {
  Sha256 hash;
  for (const std::string& file : files_named(path).files) {
    if (!add_file(file, hash)) return {};
  }
  return hash.digits();
}

}  // namespace mercer
