// mercer demo gallery: the pictures of the textbooks as one page.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "demo.hpp"
#include "mercer/io.hpp"
#include "output.hpp"
#include "report/gallery.hpp"
#include "report/html.hpp"

namespace mercer::cli {

namespace {

// What every gallery has in it, and nothing else.
constexpr std::string_view kMark = R"("kind":"gallery")";

void require_gallery(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.find(kMark) == std::string::npos) refuse_to_overwrite(path);
}

}  // namespace

void demo_gallery(const DemoWords& words) {
  const std::string path = demo_file(words, "gallery.html");
  require_gallery(path);
  const Json document = report::gallery_document();
  write_atomically(path, [&](std::ostream& out) { out << report::html(document); });
  Json titles = Json::array();
  std::string list;
  for (const Json& section : document["sections"]) {
    titles.push_back(section["title"]);
    list += "  " + section["title"].get<std::string>() + "\n";
  }
  if (words.as_json) return put_json({{"demo", "gallery"}, {"sections", titles}, {"output", path}});
  put("The pictures of the textbooks, each computed by Mercer just now:\n\n" + list + "\nWritten: " + path +
      "\nIt opens in any browser and asks for nothing from elsewhere. Try next:\n"
      "  mercer demo sinc\n  mercer studio --help\n");
}

}  // namespace mercer::cli
