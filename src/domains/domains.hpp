// The domains: one row for each kind of input. Everything that depends on the kind finds its way through here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "file/archive_fwd.hpp"
#include "kernel/catalog.hpp"
#include "mercer/dataset.hpp"

namespace mercer::detail {

// A file format: how it is told, and read. The name is what users call it by.
struct FileFormat {
  std::string name;
  std::vector<std::string> endings = {};              // of file names, a last .gz aside
  bool (*looks_so)(std::string_view text) = nullptr;  // the beginning of a file that no name tells of
  // `name` is the file's, for errors.
  Dataset (*read)(std::string_view text, const std::string& name, const ReadOptions& options) = nullptr;
  // A folder in the place of a file: whether this is one, and reading it.
  bool (*is_folder)(const std::string& path) = nullptr;
  Dataset (*read_folder)(const std::string& path, const ReadOptions& options) = nullptr;
};

struct DomainRow {
  using Load = Points (*)(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);

  std::string kind;                                      // as Domain says it
  std::vector<Entry> (*kernels)() = nullptr;             // its rows of the catalog
  std::vector<std::pair<std::string, Load>> loads = {};  // from model files, by the kind that save() wrote
  std::vector<FileFormat> (*formats)() = nullptr;
  Points (*sample)(Index count, std::uint64_t seed) = nullptr;  // random points, for the laws
};

std::span<const DomainRow> domains();

}  // namespace mercer::detail
