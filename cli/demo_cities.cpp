// mercer demo cities: the map of a country from the distances between its cities.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "demo.hpp"
#include "mercer/io.hpp"
#include "mercer/machines/mds.hpp"
#include "output.hpp"
#include "report/cities.hpp"

namespace mercer::cli {

namespace {

using report::Cities;

constexpr std::string_view kSvgStart = "<!-- mercer demo cities -->";

struct Frame {
  double left, right, bottom, top;
};

Frame frame_of(MatrixView y) {
  Frame out{y(0, 0), y(0, 0), y(0, 1), y(0, 1)};
  for (Index i = 0; i < y.rows(); ++i) {
    out.left = std::min(out.left, y(i, 0));
    out.right = std::max(out.right, y(i, 0));
    out.bottom = std::min(out.bottom, y(i, 1));
    out.top = std::max(out.top, y(i, 1));
  }
  return out;
}

// A character is twice as high as wide. Names stand to the right of their dots, or to the left where there is no room.
std::string picture(const Cities& cities, MatrixView y) {
  constexpr Index width = 86;
  const Frame frame = frame_of(y);
  const double miles = (frame.right - frame.left) / static_cast<double>(width - 18);
  const auto height = static_cast<Index>((frame.top - frame.bottom) / (2 * miles)) + 1;
  std::vector<std::vector<std::string>> cells(at(height), std::vector<std::string>(at(width), " "));
  for (Index i = 0; i < y.rows(); ++i) {
    const auto row = at(static_cast<Index>((frame.top - y(i, 1)) / (2 * miles)));
    const auto column = static_cast<Index>((y(i, 0) - frame.left) / miles) + 1;
    const std::string& name = cities.names[at(i)];
    const auto length = static_cast<Index>(name.size());
    Index start = column + 2 + length <= width ? column + 2 : column - 1 - length;
    for (const char c : name) cells[row][at(start++)] = std::string(1, c);
    cells[row][at(column)] = "●";
  }
  std::string out;
  for (const std::vector<std::string>& line : cells) {
    std::string text = " ";
    for (const std::string& cell : line) text += cell;
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string drawing(const Cities& cities, MatrixView y) {
  constexpr double width = 760, margin = 50, title = 20, room = 90;  // room for names on the right
  const Frame frame = frame_of(y);
  const double scale = (width - 2 * margin - room) / (frame.right - frame.left);
  const double height = scale * (frame.top - frame.bottom) + 2 * margin + title + 30;
  std::string out = fmt::format(
      "{2}\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" viewBox=\"0 0 {0} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"{0}\" height=\"{1:.0f}\" fill=\"white\"/>\n"
      "<text x=\"{3}\" y=\"26\" font-size=\"16\">Ten cities, from the distances between them</text>\n",
      width, height, kSvgStart, margin);
  for (Index i = 0; i < y.rows(); ++i) {
    const double across = margin + scale * (y(i, 0) - frame.left),
                 down = margin + title + scale * (frame.top - y(i, 1));
    out += fmt::format(
        "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"4\" fill=\"#2166ac\"/><text x=\"{2:.1f}\" "
        "y=\"{3:.1f}\">{4}</text>\n",
        across, down, across + 8, down + 5, cities.names[at(i)]);
  }
  const double line = height - 22, bar = 500 * scale;
  out += fmt::format(
      "<line x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" stroke=\"#777\" stroke-width=\"2\"/>"
      "<text x=\"{3:.1f}\" y=\"{4:.1f}\" fill=\"#777\">500 miles</text>\n",
      margin, line, margin + bar, margin + bar + 8, line + 5);
  return out + "</svg>\n";
}

struct Worst {
  Index i = 0, j = 0;
  double given = 0, shown = 0, rms = 0;
};

Worst compare(const Cities& cities, MatrixView y) {
  Worst out;
  double squares = 0, pairs = 0;
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const double given = cities.distances(i, j), shown = std::hypot(y(i, 0) - y(j, 0), y(i, 1) - y(j, 1));
      squares += (shown - given) * (shown - given);
      pairs += 1;
      if (std::abs(shown - given) > std::abs(out.shown - out.given)) out = {i, j, given, shown, 0};
    }
  }
  out.rms = std::sqrt(squares / pairs);
  return out;
}

}  // namespace

void demo_cities(const DemoWords& words) {
  const std::string path = demo_file(words, "cities.svg");
  require_own(path, kSvgStart);
  const Cities cities = report::ten_cities();
  const Model model = ClassicalMds{}.fit(precomputed(cities.distances));
  const Matrix y = report::as_on_a_map(model.parts().fitted, cities);
  const Worst worst = compare(cities, y);
  const Report& report = model.report();
  const double explained = report.figure("explained_share").value();
  const double negative = report.figure("negative_share").value();
  write_atomically(path, [&](std::ostream& out) { out << drawing(cities, y); });

  if (words.as_json) {
    Json out{{"demo", "cities"},           {"explained_share", explained},
             {"negative_share", negative}, {"rms_error_miles", worst.rms},
             {"cities", Json::array()},    {"output", path}};
    for (Index i = 0; i < y.rows(); ++i) {
      out["cities"].push_back({{"name", cities.names[at(i)]}, {"east", y(i, 0)}, {"north", y(i, 1)}});
    }
    return put_json(out);
  }
  put(fmt::format(
      "The {0} distances between ten cities of the United States, in miles, and nothing else. Classical\n"
      "scaling (mds) finds the plane that keeps them best. Left and right, up and down are not in the\n"
      "distances: the map is turned over so that New York is in the east and Seattle in the north.\n\n"
      "{1}\n"
      "  The plane explains {2:.1f} % of the inertia. The earth is round, so {3:.1f} % of it is in negative\n"
      "  eigenvalues, which no map can show. On average (rms) a distance is off by {4:.0f} miles; the most is\n"
      "  {5} to {6}: {7:.0f} miles, {8:.0f} on the map.\n\n"
      "Written: {9}, the same as a drawing.\n"
      "Try next:\n"
      "  mercer fit mds data/us_cities_10.csv --kernel precomputed -o cities.mercer -v\n"
      "  mercer predict cities.mercer\n"
      "  mercer fit pca data/toys/two_moons.csv --target label --components 5 -o moons.mercer -v\n",
      y.rows() * (y.rows() - 1) / 2, picture(cities, y), 100 * explained, 100 * negative, worst.rms,
      cities.names[at(worst.i)], cities.names[at(worst.j)], worst.given, worst.shown, path));
}

}  // namespace mercer::cli
