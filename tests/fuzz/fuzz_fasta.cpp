// FASTA from hostile bytes.
#include <cstdint>
#include <string>
#include <vector>

#include "domains/strings/fasta.hpp"
#include "mercer/error.hpp"

extern const std::vector<std::string> fuzz_seeds;
const std::vector<std::string> fuzz_seeds = {
    ">one human\nACGT\nAC\n>two\n\n>three 1.5\nMKV*\n",
    "; comment\r\n>a b c\r\nAC GT\r\n",
    ">\n>\n",
    "ACGT\n>late\n",
};

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  mercer::detail::looks_like_fasta(content);
  for (const char* target : {"", "name", "description"}) {
    try {
      mercer::detail::parse_fasta(content, "fuzz.fa", {.target = target, .last_is_target = true});
    } catch (const mercer::Error&) {
    }
  }
  return 0;
}
