// FASTA from hostile bytes.
#include <cstdint>
#include <string>
#include <vector>

#include "domains/strings/fasta.hpp"
#include "fuzz/target.hpp"
#include "mercer/error.hpp"

namespace mercer::fuzz_fasta {

namespace {

std::vector<std::string> seeds() {
  return {
      ">one human\nACGT\nAC\n>two\n\n>three 1.5\nMKV*\n",
      "; comment\r\n>a b c\r\nAC GT\r\n",
      ">\n>\n",
      "ACGT\n>late\n",
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  detail::looks_like_fasta(content);
  for (const char* target : {"", "name", "description"}) {
    try {
      detail::parse_fasta(content, "fuzz.fa", {.target = target, .last_is_target = true});
    } catch (const Error&) {
    }
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"fasta", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_fasta
