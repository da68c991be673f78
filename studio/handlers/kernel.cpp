// Pictures of a kernel alone: the function, functions drawn from it, its matrix on data.
#include <fmt/format.h>

#include <charconv>

#include "report/kernel_pictures.hpp"
#include "studio/body.hpp"
#include "studio/errors.hpp"
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"

namespace mercer::studio {

namespace {

constexpr Index kMostGrid = 1000, kMostDraws = 50, kLargestPicture = 512;

// [from, to, count]
report::Grid grid_of(const Body& body) {
  if (!body.has("grid")) return {.from = -5, .to = 5, .count = 200};
  const Vector grid = body.numbers("grid");
  if (grid.size() != 3 || !(grid[0] < grid[1]) || grid[2] < 2 || grid[2] > static_cast<double>(kMostGrid)) {
    throw Failure(400, fmt::format("\"grid\" is not [from, to, count] with at most {} places", kMostGrid), "grid");
  }
  return {.from = grid[0], .to = grid[1], .count = static_cast<Index>(grid[2])};
}

}  // namespace

Answer post_kernel(Studio&, const Request& request) {
  const Body body(request.body);
  const Kernel k = required_kernel(body);
  const report::Grid grid = body.has("grid") ? grid_of(body) : report::Grid{};
  return json_answer({{"str", k.str()},
                      {"exhibits", Json::array({report::to_json(report::kernel_curve(k, grid))})},
                      {"params", params_json(k.params())}});
}

Answer post_prior(Studio&, const Request& request) {
  const Body body(request.body);
  const auto seed = static_cast<std::uint64_t>(body.whole("seed", 1, 0, 1'000'000'000));
  const Index draws = body.whole("draws", 5, 1, kMostDraws);
  return json_answer(report::to_json(report::prior_draws(required_kernel(body), grid_of(body), draws, seed)));
}

Answer post_gram(Studio& studio, const Request& request) {
  const Body body(request.body);
  const Kernel k = required_kernel(body);
  const std::shared_ptr<const DataSet> data = given_data(studio, body);
  const workflow::Suggestion& seen = data->suggested();
  return json_answer(report::to_json(report::kernel_matrix(k, seen.inputs, seen.labels, body.text("order", "file"),
                                                           body.whole("size", 256, 1, kLargestPicture))));
}

Answer get_gram_value(Studio& studio, const Request& request) {
  Json fields = Json::object();
  for (const auto& [name, value] : request.query) fields[name] = value;
  const Body body(std::move(fields));
  const std::shared_ptr<const DataSet> data = data_named(studio, body.text("data"));
  const Kernel k = required_kernel(body);
  const auto row = [&](const char* name) {
    const std::string text = body.text(name);
    Index out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    if (out < 1 || out > data->rows()) {
      throw Failure(400, fmt::format("\"{}\" is not a row from 1 to {}", name, data->rows()), name);
    }
    return out;
  };
  const Index i = row("i"), j = row("j");
  const Points& x = data->suggested().inputs;
  const Kernel known = k.resolve(x);
  const Matrix value = cross(known, x.slice({i - 1, i}), x.slice({j - 1, j}));
  return json_answer({{"i", i}, {"j", j}, {"value", value(0, 0)}});
}

}  // namespace mercer::studio
