#include "studio/builtin.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "base/text.hpp"
#include "io/embedded_data.hpp"
#include "io/mauna_loa.hpp"
#include "io/readers.hpp"
#include "studio/errors.hpp"

namespace mercer::studio {

namespace {

Dataset from_csv(std::string_view text, const std::string& name) {
  return parse_csv(text, name, {.format = Format::csv, .last_is_target = true});
}

Dataset moons() { return from_csv(data::two_moons(), "moons"); }
Dataset sinc() { return from_csv(data::sinc(), "sinc"); }

Dataset cities() { return parse_csv(data::us_cities(), "us_cities", {.format = Format::csv}); }

Dataset co2() {
  const MaunaLoa record = mauna_loa();
  Matrix year(static_cast<Index>(record.year.size()), 1);
  for (Index i = 0; i < year.rows(); ++i) year(i, 0) = record.year[static_cast<std::size_t>(i)];
  return {.points = named(rows(std::move(year)), {"year"}), .target_numbers = record.co2, .target_name = "co2"};
}

// Points of the plane with classes, and what draws the i-th.
struct Drawn {
  double x, y;
  const char* label;
};
Dataset plane(Index n, std::uint64_t seed, Drawn (*draw)(Index i, Random& random)) {
  Random random(seed);
  Matrix x(n, 2);
  Dataset out{.points = rows(Matrix(1, 2)), .target_name = "class"};
  for (Index i = 0; i < n; ++i) {
    const Drawn one = draw(i, random);
    x(i, 0) = std::round(1e4 * one.x) / 1e4;
    x(i, 1) = std::round(1e4 * one.y) / 1e4;
    out.target_texts.emplace_back(one.label);
  }
  out.points = named(rows(std::move(x)), {"x1", "x2"});
  return out;
}

Dataset rings() {
  return plane(160, 2, [](Index i, Random& random) {
    const bool outer = i % 2 == 1;
    const double angle = random.uniform(0, 2 * std::numbers::pi), radius = (outer ? 1 : 0.4) + 0.08 * random.normal();
    return Drawn{radius * std::cos(angle), radius * std::sin(angle), outer ? "outer" : "inner"};
  });
}

Dataset blobs() {
  return plane(150, 3, [](Index i, Random& random) {
    static constexpr double kCentres[3][2] = {{-1, -0.6}, {1, -0.5}, {0, 1}};
    static constexpr const char* kNames[3] = {"a", "b", "c"};
    return Drawn{kCentres[i % 3][0] + 0.35 * random.normal(), kCentres[i % 3][1] + 0.35 * random.normal(),
                 kNames[i % 3]};
  });
}

Dataset xor_() {
  return plane(160, 4, [](Index, Random& random) {
    const double x = random.uniform(-1, 1), y = random.uniform(-1, 1);
    return Drawn{x + 0.05 * random.normal(), y + 0.05 * random.normal(), (x > 0) == (y > 0) ? "same" : "other"};
  });
}

Dataset curve() {
  Random random(5);
  Matrix x(30, 1);
  Dataset out{.points = rows(Matrix(1, 1)), .target_name = "y"};
  for (Index i = 0; i < x.rows(); ++i) {
    x(i, 0) = std::round(1e3 * random.uniform(0, 10)) / 1e3;
    out.target_numbers.push_back(std::round(1e3 * (std::sin(x(i, 0)) + 0.15 * random.normal())) / 1e3);
  }
  out.points = named(rows(std::move(x)), {"x"});
  return out;
}

}  // namespace

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> all = {
      {"moons", "two moons in the plane, which no straight line parts", "classes", true, moons},
      {"rings", "a ring around another", "classes", true, rings},
      {"blobs", "three clouds", "classes", true, blobs},
      {"xor", "a chessboard of two by two", "classes", true, xor_},
      {"curve", "30 points of a sine with noise", "numbers", true, curve},
      {"sinc", "sin(x)/x with noise", "numbers", true, sinc},
      {"co2", "CO2 in the air at Mauna Loa, month by month, 1958 to 2020", "numbers", true, co2},
      {"us_cities", "distances between ten cities, in miles", "", false, cities},
  };
  return all;
}

std::shared_ptr<const DataSet> builtin(const std::string& name) {
  std::vector<std::string> names;
  for (const Builtin& one : builtins()) {
    if (one.name == name) return std::make_shared<const DataSet>(Origin{name, ""}, one.make());
    names.push_back(one.name);
  }
  throw Failure(404,
                fmt::format("no data set built in is called {}{}", mercer::quoted(name), did_you_mean(name, names)),
                "builtin", fmt::format("there are {}", fmt::join(names, ", ")));
}

}  // namespace mercer::studio
