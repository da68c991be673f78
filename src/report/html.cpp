#include "report/html.hpp"

#include "base/fail.hpp"
#include "report/budget.hpp"
#include "report/page.hpp"

namespace mercer::report {

namespace {

constexpr std::string_view kPlace = "<script type=\"application/json\" id=\"document\">null</script>";

std::string escaped(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = std::string_view(json).substr(i, 3);
    if (json[i] == '<') {
      out += "\\u003c";
    } else if (rest == "\xE2\x80\xA8" || rest == "\xE2\x80\xA9") {  // U+2028, U+2029
      out += rest.back() == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

}  // namespace

std::string html(const Json& document) {
  const std::string& frame = page();
  const std::size_t place = frame.find(kPlace);
  if (place == std::string::npos) fail(ErrorKind::file, "report: the page has no place for a document; build it anew");
  // Escapes make texts longer, which names of many "<" show.
  std::size_t room = kMostBytes - std::min(kMostBytes, frame.size());
  std::string text;
  for (int attempt = 0; attempt < 3; ++attempt) {
    text = escaped(within(document, room).dump());
    if (text.size() + frame.size() <= kMostBytes) break;
    room -= std::min(room, text.size() + frame.size() - kMostBytes);
  }
  const std::size_t inside = place + kPlace.size() - std::string_view("null</script>").size();
  return frame.substr(0, inside) + text + frame.substr(inside + 4);
}

}  // namespace mercer::report
