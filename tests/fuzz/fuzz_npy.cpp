// NPY from hostile bytes. The buffer's address varies with the size, so that unaligned values occur.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "io/readers.hpp"
#include "mercer/error.hpp"

namespace mercer::fuzz_npy {

namespace {

std::string npy(char version, std::string header, std::size_t bytes) {
  std::string out = std::string("\x93NUMPY") + version + '\0';
  header += '\n';
  out += static_cast<char>(header.size());
  out += '\0';
  if (version > 1) out += std::string(2, '\0');
  out += header;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(i % 64);
  return out;
}

std::vector<std::string> seeds() {
  return {
      npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 48),
      npy(2, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24),
      npy(3, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }", 24),
      npy(1, "{'shape': (2L, 2L), 'descr': '|u1', 'fortran_order': True}", 4),
      npy(1, "{'descr': '>f8', 'fortran_order': False, 'shape': (1, 1), }", 8),
      npy(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", 8),
      npy(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 8),
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::size_t shift = size % 8;
  auto content =
      std::make_shared<const std::string>(std::string(shift, ' ').append(reinterpret_cast<const char*>(data), size));
  try {
    parse_npy(std::vector<FileContent>{{{std::string_view(*content).substr(shift), content}, "fuzz.npy"}}, {});
  } catch (const Error&) {
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"npy", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_npy
