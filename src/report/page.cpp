#include "report/page.hpp"

#include "file/bytes.hpp"

// The page between two symbols.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    "mercer_page_begin: .incbin \"" MERCER_PAGE
    "\"\n"
    "mercer_page_end: .byte 0\n"
    ".popsection\n");
extern const char page_begin[] asm("mercer_page_begin");
extern const char page_end[] asm("mercer_page_end");

namespace mercer::report {

std::string_view packed_page() { return {page_begin, static_cast<std::size_t>(page_end - page_begin)}; }

const std::string& page() {
  static const std::string text(gunzip(packed_page(), "the page of reports").text);
  return text;
}

}  // namespace mercer::report
