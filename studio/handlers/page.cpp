// The page itself: the same file that reports are made of, without a document in it.
#include "report/page.hpp"

#include <fmt/format.h>

#include <functional>

#include "studio/guard.hpp"
#include "studio/handlers/handlers.hpp"

namespace mercer::studio {

namespace {

// The page says which scripts it holds; so does the answer, and that nobody may frame it, which only an answer can.
std::string policy_of(const std::string& page) {
  constexpr std::string_view kBefore = "http-equiv=\"Content-Security-Policy\" content=\"";
  const std::size_t found = page.find(kBefore);
  if (found == page.npos) return "";
  const std::size_t from = found + kBefore.size();
  return page.substr(from, page.find('"', from) - from);
}

}  // namespace

Answer get_page(Studio&, const Request& request) {
  static const std::string policy = policy_of(report::page());
  static const std::string tag = fmt::format("\"{:016x}\"", std::hash<std::string>{}(report::page()));
  Answer out{.type = "text/html; charset=utf-8"};
  add_security_headers(out, policy);
  out.headers.emplace_back("Cache-Control", "no-cache");
  out.headers.emplace_back("ETag", tag);
  out.headers.emplace_back("Vary", "Accept-Encoding");
  if (request.head.etag == tag) {
    out.status = 304;
  } else if (request.head.takes_gzip) {
    out.headers.emplace_back("Content-Encoding", "gzip");
    out.body = report::packed_page();
  } else {
    out.body = report::page();
  }
  return out;
}

Answer get_favicon(Studio&, const Request&) { return {.status = 204}; }

}  // namespace mercer::studio
