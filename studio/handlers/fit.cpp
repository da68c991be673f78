// Fitting: a job that ends with a model, how good it is, and its pictures.
#include <fmt/format.h>

#include <chrono>

#include "base/text.hpp"
#include "studio/body.hpp"
#include "studio/errors.hpp"
#include "studio/fitted.hpp"
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"
#include "workflow/json.hpp"

namespace mercer::studio {

namespace {

constexpr Index kMostPlaces = Index{1} << 53;

std::optional<Scaling::Kind> scale_of(const Body& body) {
  if (!body.has("scale") || body.text("scale").empty() || body.text("scale") == "auto") return std::nullopt;
  using Kind = Scaling::Kind;
  for (const Kind kind : {Kind::none, Kind::centred, Kind::standard, Kind::minmax}) {
    if (body.text("scale") == name_of(kind)) return kind;
  }
  throw Failure(400, "\"scale\" is none of none, centred, standard, minmax, auto", "scale");
}

std::optional<std::array<double, 4>> box_of(const Body& body) {
  if (!body.has("box")) return std::nullopt;
  const Vector box = body.numbers("box");
  if (box.size() != 4 || !(box[0] < box[1]) || !(box[2] < box[3])) {
    throw Failure(400, "\"box\" is not [x low, x high, y low, y high]", "box");
  }
  return std::array<double, 4>{box[0], box[1], box[2], box[3]};
}

FitWish wish_of(Studio& studio, const Body& body) {
  FitWish out;
  out.data = given_data(studio, body);
  out.request.machine = body.text("machine");
  const Machine& row = machine(out.request.machine);
  out.request.settings = body.settings("options");
  out.request.target = body.text("target", "");
  out.request.weights = body.text("weights", "");
  out.request.scale = scale_of(body);
  out.request.plain = !body.flag("learn", false);
  if (body.expression("expr") == "precomputed") {
    out.request.kernel = workflow::Precomputed{};
  } else if (auto kernel = given_kernel(body)) {
    out.request.kernel = std::move(*kernel);
  }
  // What learns by itself learns nothing where it is told so.
  if (out.request.plain) out.request.settings.insert(row.without_learning.begin(), row.without_learning.end());
  out.exhibits = body.texts("exhibits");
  // Whoever asks for some pictures while dragging wants those alone.
  out.metrics = body.flag("metrics", !out.request.plain || out.exhibits.empty());
  out.box = box_of(body);
  if (out.request.plain && out.data->rows() > kMostLive) {
    throw Failure(422, fmt::format("{} points are too many to be fitted while you look on", out.data->rows()), "data",
                  fmt::format("at most {}; fit them once, with learning", kMostLive));
  }
  return out;
}

}  // namespace

Answer post_fit(Studio& studio, const Request& request) {
  const Body body(request.body);
  const Jobs::Place place{body.text("slot"), body.whole("seq", 0, 0, kMostPlaces)};
  FitWish wish = wish_of(studio, body);
  wish.slot = place.slot;
  // What is dragged is quick; what learns may take its time, and nobody waits behind it.
  Lane& lane = wish.request.plain ? studio.quick : studio.patient;
  const auto job = studio.jobs.submit(
      lane, place, [&studio, wish](const Monitor& monitor) { return fit_and_show(studio, wish, monitor); });
  if (!job) throw Failure(503, "too much waits to be fitted", "", "ask again in a moment");
  return json_answer({{"job", std::to_string(*job)}}, 202);
}

}  // namespace mercer::studio
