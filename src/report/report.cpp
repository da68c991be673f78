#include "report/report.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/sha256.hpp"
#include "report/budget.hpp"
#include "report/document.hpp"
#include "report/html.hpp"

namespace mercer::report {

Written write(const Subject& subject, const Cover& cover) {
  const Json document = within(document_of(subject, cover), kMostBytes);
  return {html(document), document.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

std::string file_hash(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return {};
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return sha256(bytes.view());
}

}  // namespace mercer::report
