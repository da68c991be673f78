#include "mercer/points_file.hpp"

#include <sstream>

#include "base/fail.hpp"
#include "file/blocks.hpp"
#include "io/model_parts.hpp"
#include "points/archive.hpp"

namespace mercer {

// The header in one line, then the blocks.
std::string to_bytes(const Points& x) {
  detail::BlockWriter blocks;
  const Json points = detail::save_points(x, "points", blocks);
  std::ostringstream out;
  out << Json{{"points", points}, {"blocks", blocks.list()}}.dump({.exact = true}) << '\n';
  detail::Sink sink(out);
  blocks.write(sink);
  return out.str();
}

Points points_from_bytes(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == bytes.npos) fail(ErrorKind::file, "points: there is no header");
  const Json header = detail::parse_json(bytes.substr(0, end), detail::kDeepestHeader);
  const detail::BlockReader blocks(detail::member(header, "blocks"), bytes.substr(end + 1));
  return detail::load_points(detail::member(header, "points"), "points", blocks);
}

}  // namespace mercer
