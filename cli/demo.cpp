// mercer demo: tours on data that the command carries inside itself.
#include "demo.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "arguments.hpp"
#include "output.hpp"

namespace mercer::cli {

namespace {

struct Demo {
  std::string name, purpose;
  void (*run)(const DemoWords& words);
  bool writes = false;  // takes -o
};

const std::vector<Demo>& demos() {
  static const std::vector<Demo> all = {
      {"co2", "CO2 at Mauna Loa: a Gaussian process finds its parts, forecasts, and is put to the test", demo_co2,
       true},
      {"cities", "ten cities of the United States: a map from nothing but the distances between them", demo_cities,
       true},
      {"kernel", "the kernel behind it: its proof, what it believes, and a famous formula that is no kernel",
       demo_kernel},
      {"sinc", "a noisy curve: ridge, SVR, Gaussian process and relevance vectors side by side", demo_sinc},
      {"two-moons", "two classes: SVC, perceptron and logistic regression, and where they draw the line", demo_moons},
      {"gallery", "the pictures of the textbooks, computed anew: a page to open in a browser", demo_gallery, true},
      {"prior", "what functions each kernel of the catalog believes in: one draw of each", demo_prior},
  };
  return all;
}

}  // namespace

Matrix numbers_in(std::string_view csv) {
  const std::vector<std::string> lines = lines_of(csv);
  Matrix out(static_cast<Index>(lines.size()) - 1, static_cast<Index>(split(lines[0], ',').size()));
  for (Index i = 0; i < out.rows(); ++i) {
    const std::vector<std::string> fields = split(lines[static_cast<std::size_t>(i) + 1], ',');
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = parse_number(fields[static_cast<std::size_t>(j)]).value();
  }
  return out;
}

std::string demo_file(const DemoWords& words, const std::string& name) {
  const std::filesystem::path place(words.folder.empty() ? "." : words.folder);
  std::error_code ignored;
  if (!std::filesystem::is_directory(place, ignored)) {
    fail(ErrorKind::file, "{}: is no folder; create it first, or leave out -o", place.string());
  }
  if (::access(place.c_str(), W_OK) != 0) {
    fail(ErrorKind::file, "{}: cannot be written to; name another folder with -o DIR", place.string());
  }
  return words.folder.empty() ? name : (place / name).string();
}

void refuse_to_overwrite(const std::string& path) {
  fail(ErrorKind::file, "{}: is there already and not from this demo; name another folder with -o DIR", path);
}

void require_own(const std::string& path, std::string_view beginning) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  if (!line.starts_with(beginning)) refuse_to_overwrite(path);
}

int run_demo(const Words& words) {
  std::string name = "co2";
  bool list = false;
  DemoWords given;
  Arguments arguments("demo", "A tour on data that is built in: --list names them. The longest takes under a minute.",
                      "  mercer demo\n  mercer demo --list\n  mercer demo sinc\n  mercer demo co2 -o /tmp\n");
  arguments.optional("NAME", name, "Which one (default: co2)");
  arguments.flag("--list", list, "Name the demos there are");
  arguments.option("-o,--output", given.folder, "DIR",
                   "Where co2 puts co2.mercer and co2_forecast.csv, cities cities.svg, and gallery gallery.html [.]");
  arguments.flag("--json", given.as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
  for (const Demo& demo : demos()) {
    names.push_back(demo.name);
    rows.push_back({demo.name, demo.purpose});
  }
  if (list) {
    given.as_json ? put_json(names) : put(table(rows));
    return 0;
  }
  for (const Demo& demo : demos()) {
    if (demo.name != name) continue;
    if (!demo.writes && !given.folder.empty()) fail(ErrorKind::usage, "demo: {} writes no files; leave out -o", name);
    demo.run(given);
    return 0;
  }
  fail(ErrorKind::usage, "there is no demo {}{}; mercer demo --list names them", mercer::quoted(name),
       did_you_mean(name, names));
}

}  // namespace mercer::cli
