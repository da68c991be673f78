// The header of a model file: all of a model that is not a long list of numbers.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "io/model_parts.hpp"
#include "io/readers.hpp"
#include "kernel/node.hpp"
#include "model/settings.hpp"
#include "points/archive.hpp"

namespace mercer::detail {

namespace {

constexpr std::array<std::string_view, 4> kCalibrations = {"none", "sigmoids", "softmax", "shares"};

template <class T>
void require_finite(const T* values, std::size_t count, const char* what) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) fail(ErrorKind::usage, "number {} of {} is {}", i + 1, what, values[i]);
  }
}

void require_distinct(std::vector<std::string> names, const char* what) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) fail(ErrorKind::usage, "two {} are called {}", what, shown(*twice));
}

// The rules that make a file readable; checked before one is written and after one is read.
void require_sound(const Model::Parts& p) {
  const Expansion::Parts& f = p.f.parts();
  if (f.alpha.cols() < 1) fail(ErrorKind::usage, "alpha has no column");
  require_finite(f.alpha.data(), at(f.alpha.rows() * f.alpha.cols()), "alpha");
  require_finite(f.bias.data(), f.bias.size(), "the bias");
  require_finite(f.slope.data(), at(f.slope.rows() * f.slope.cols()), "the slope");
  require_finite(f.self.data(), f.self.size(), "the multiples of k(x, x)");
  require_finite(p.readout.data(), at(p.readout.rows() * p.readout.cols()), "the readout");
  require_finite(p.fitted.data(), at(p.fitted.rows() * p.fitted.cols()), "what was fitted");
  require_finite(f.squared_norms.data(), f.squared_norms.size(), "the squared norms");
  require_finite(p.scaling.shift.data(), p.scaling.shift.size(), "the scaling's shift");
  require_finite(p.scaling.factor.data(), p.scaling.factor.size(), "the scaling's factor");
  if (p.scaling.shift.size() != p.scaling.factor.size()) {
    fail(ErrorKind::usage, "the scaling has {} shifts and {} factors", p.scaling.shift.size(), p.scaling.factor.size());
  }
  require_finite(p.provenance.weights.data(), p.provenance.weights.size(), "the weights of the training points");
  for (const auto& [what, count] :
       {std::pair("rows", p.provenance.rows.size()), {"weights", p.provenance.weights.size()}}) {
    if (count != 0 && count != at(f.training_size)) {
      fail(ErrorKind::usage, "{} {} of training points, of which there are {}", count, what, f.training_size);
    }
  }
  // A part of several columns gives its name to each; the centres, which were checked, know which parts there are.
  if (!f.centres || f.centres->column_names() != p.inputs.columns) require_distinct(p.inputs.columns, "columns");
  for (const Sigmoid& s : p.calibration.sigmoids) {
    if (!std::isfinite(s.slope) || !std::isfinite(s.offset)) {
      fail(ErrorKind::usage, "a sigmoid of the calibration is not finite");
    }
  }
}

// Throws on what was given as a function in code, which the kernel's text cannot hold.
void require_text(const Node& node) {
  const auto refuse = [](const std::string& name) {
    fail(ErrorKind::usage,
         "save: the kernel uses \"{}\", a function given in code, which no file can hold; use a formula or a named map",
         name);
  };
  for (const Option& option : node.options) {
    if (const auto* map = std::get_if<NamedMap>(&option); map != nullptr && map->custom) refuse(map->name);
    if (const auto* weight = std::get_if<NamedWeight>(&option); weight != nullptr && weight->custom) {
      refuse(weight->name);
    }
    if (const auto* s = std::get_if<Similarity>(&option); s != nullptr && !s->is_formula()) refuse(s->str());
  }
  for (const NodePtr& child : node.children) require_text(*child);
}

// Maps of rows that were given as functions have no text either.
void require_texts(const std::vector<RowMap>& maps) {
  for (const RowMap& map : maps) {
    if (!map.is_function()) continue;
    fail(ErrorKind::usage,
         "save: the inputs go through \"{}\", a function given in code, which no file can hold; use a map of the "
         "catalog",
         map.str());
  }
}

std::string table_block(std::size_t table) { return fmt::format("report.{}", table + 1); }

Json figures_json(const std::vector<Report::Figure>& figures) {
  Json out = Json::array();
  for (const Report::Figure& figure : figures) out.push_back({text_json(figure.name), real_json(figure.value)});
  return out;
}

std::vector<Report::Figure> figures(const Json& json, const char* name) {
  std::vector<Report::Figure> out;
  for (const Json& figure : list(json, name)) {
    if (!figure.is_array() || figure.size() != 2) fail(ErrorKind::file, "a figure of its report is not [name, value]");
    out.push_back({text(figure[0]), real(figure[1])});
  }
  return out;
}

Json plan_json(const Plan& plan) {
  Json parts = Json::array();
  for (const Room& part : plan.parts) parts.push_back({text_json(part.what), real_json(part.bytes)});
  Json out = {{"form", name_of(plan.form)},
              {"kept", plan.kept},
              {"method", name_of(plan.method)},
              {"solver", text_json(plan.solver)},
              {"points", plan.points},
              {"centres", plan.centres},
              {"centres_by", text_json(plan.centres_by)},
              {"bytes", real_json(plan.bytes)},
              {"parts", std::move(parts)},
              {"seconds", real_json(plan.seconds)},
              {"pairs", real_json(plan.pairs)},
              {"flops", real_json(plan.flops)},
              {"approximates", text_json(plan.approximates)},
              {"why", text_json(plan.why)}};
  if (plan.rows_at_once > 0) {
    out["rows_at_once"] = plan.rows_at_once;
    out["bytes_at_once"] = real_json(plan.bytes_at_once);
  }
  return out;
}

// The one of these that has this name.
template <class Kind>
Kind named(const Json& json, const char* what, std::initializer_list<Kind> all) {
  const std::string name = text(member(json, what));
  for (const Kind one : all) {
    if (name_of(one) == name) return one;
  }
  fail(ErrorKind::file, "its plan has the {} {}, which is not known", what, shown(name));
}

Plan plan_from(const Json& json) {
  Plan out{
      .form = named(json, "form", {Form::lazy, Form::cached, Form::exact, Form::factor, Form::given, Form::centres}),
      .kept = flag(json, "kept"),
      .method = named(json, "method",
                      {Method::automatic, Method::dense, Method::factored, Method::iterative, Method::state_space}),
      .solver = text(member(json, "solver")),
      .points = whole(member(json, "points")),
      .centres = json.contains("centres") ? whole(json["centres"]) : 0,
      .centres_by = json.contains("centres_by") ? text(json["centres_by"]) : "",
      .rows_at_once = json.contains("rows_at_once") ? whole(json["rows_at_once"]) : 0,
      .bytes_at_once = json.contains("bytes_at_once") ? real(json["bytes_at_once"]) : 0,
      .bytes = real(member(json, "bytes")),
      .seconds = real(member(json, "seconds")),
      .pairs = real(member(json, "pairs")),
      .flops = real(member(json, "flops")),
      .approximates = text(member(json, "approximates")),
      .why = text(member(json, "why"))};
  for (const Json& part : list(json, "parts")) {
    if (!part.is_array() || part.size() != 2) fail(ErrorKind::file, "a part of its plan is not [what, bytes]");
    out.parts.push_back({text(part[0]), real(part[1])});
  }
  return out;
}

Json report_json(const Report& report, BlockWriter& blocks) {
  Json tables = Json::array();
  for (const Report::Table& table : report.tables) {
    blocks.add(table_block(tables.size()), table.rows.view());
    tables.push_back({{"name", text_json(table.name)}, {"columns", texts_json(table.columns)}});
  }
  Json out = {{"converged", report.converged},
              {"stopped", text_json(report.stopped)},
              {"iterations", report.iterations},
              {"seconds", real_json(report.seconds)},
              {"figures", figures_json(report.figures)},
              {"notes", texts_json(report.notes)},
              {"tables", std::move(tables)}};
  if (!report.chosen.empty()) out["chosen"] = text_json(report.chosen);
  if (report.plan) out["plan"] = plan_json(*report.plan);
  if (!report.stages.empty()) out["stages"] = figures_json(report.stages);
  return out;
}

Report report_from(const Json& json, const BlockReader& blocks) {
  Report report;
  report.converged = flag(json, "converged");
  report.stopped = text(member(json, "stopped"));
  report.iterations = whole(member(json, "iterations"));
  report.seconds = real(member(json, "seconds"));
  report.figures = figures(json, "figures");
  report.notes = texts(json, "notes");
  if (json.contains("chosen")) report.chosen = text(json["chosen"]);
  if (json.contains("plan")) report.plan = plan_from(json["plan"]);
  if (json.contains("stages")) report.stages = figures(json, "stages");
  for (const Json& table : list(json, "tables")) {
    Matrix rows = blocks.matrix(table_block(report.tables.size()));
    report.tables.push_back({text(member(table, "name")), texts(table, "columns"), std::move(rows)});
    if (report.tables.back().columns.size() != at(report.tables.back().rows.cols())) {
      fail(ErrorKind::file, "a table of its report has more or fewer columns than names");
    }
  }
  return report;
}

Json provenance_json(const Provenance& from, BlockWriter& blocks) {
  if (!from.rows.empty()) blocks.add("provenance.rows", from.rows);
  if (!from.weights.empty()) blocks.add("provenance.weights", from.weights);
  Json read = Json::object();
  for (const auto& [name, value] : from.read) read[name] = text_json(value);
  return {{"source", text_json(from.source)}, {"sha256", text_json(from.sha256)}, {"read", std::move(read)}};
}

Settings settings_from(const Json& json, const char* name) {
  const Json& settings = member(json, name);
  if (!settings.is_object()) fail(ErrorKind::file, "its {} are no object", name);
  Settings out;
  for (const auto& [option, value] : settings.items()) out[option] = text(value);
  return out;
}

// Files of before say nothing of it.
Provenance provenance_from(const Json& header, const BlockReader& blocks) {
  if (!header.contains("provenance")) return {};
  const Json& json = header["provenance"];
  Provenance out{text(member(json, "source")), text(member(json, "sha256")), settings_from(json, "read")};
  if (blocks.has("provenance.rows")) out.rows = blocks.numbers<std::int64_t>("provenance.rows");
  if (blocks.has("provenance.weights")) out.weights = blocks.numbers<double>("provenance.weights");
  return out;
}

Calibration calibration_from(const Json& json) {
  const std::string kind = text(member(json, "kind"));
  const auto found = std::find(kCalibrations.begin(), kCalibrations.end(), kind);
  if (found == kCalibrations.end()) fail(ErrorKind::file, "no calibration is called {}", shown(kind));
  Calibration out{static_cast<Calibration::Kind>(found - kCalibrations.begin()), {}};
  for (const Json& sigmoid : list(json, "sigmoids")) {
    if (!sigmoid.is_array() || sigmoid.size() != 2) fail(ErrorKind::file, "a sigmoid is not [slope, offset]");
    out.sigmoids.push_back({real(sigmoid[0]), real(sigmoid[1])});
  }
  return out;
}

Json calibration_json(const Calibration& calibration) {
  Json sigmoids = Json::array();
  for (const Sigmoid& s : calibration.sigmoids) sigmoids.push_back({s.slope, s.offset});
  return {{"kind", kCalibrations[static_cast<std::size_t>(calibration.kind)]}, {"sigmoids", std::move(sigmoids)}};
}

Expansion expansion_from(const Json& header, const BlockReader& blocks) {
  Expansion::Parts f;
  if (const Json& kernel = member(header, "kernel"); !kernel.is_null()) f.kernel = parse(text(kernel));
  if (const Json& x = member(header, "centres"); !x.is_null()) f.centres = load_points(x, "centres", blocks);
  f.alpha = blocks.matrix("alpha");
  f.bias = blocks.numbers<double>("bias");
  if (blocks.has("slope")) f.slope = blocks.matrix("slope");
  if (blocks.has("self")) f.self = blocks.numbers<double>("self");
  const auto support = blocks.numbers<std::int64_t>("support");
  f.support.assign(support.begin(), support.end());
  f.training_size = whole(member(header, "training_size"));
  f.squared_norms = blocks.numbers<double>("squared_norms");
  if (f.bias.size() != at(f.alpha.cols())) {
    fail(ErrorKind::file, "{} numbers in the bias for {} outputs", f.bias.size(), f.alpha.cols());
  }
  return Expansion(std::move(f));
}

}  // namespace

int format_of(const Model::Parts& parts) {
  if (parts.recipe) return kModelFormat;
  return parts.scaling.maps.empty() ? kFormatWithoutMaps : kFormatWithoutRecipe;
}

Json header_of(const Model::Parts& p, BlockWriter& blocks) {
  try {
    require_sound(p);
  } catch (const Error& error) {
    fail(ErrorKind::usage, "save: the model is not usable: {}; fit it again", error.message());
  }
  const Expansion::Parts& f = p.f.parts();
  if (f.kernel) require_text(f.kernel->node());
  require_texts(p.scaling.maps);

  Json settings = Json::object();
  for (const auto& [name, value] : p.settings) settings[name] = text_json(value);
  blocks.add("alpha", f.alpha.view());
  blocks.add("bias", f.bias);
  if (f.slope.rows() > 0) blocks.add("slope", f.slope.view());
  if (!f.self.empty()) blocks.add("self", f.self);
  if (p.readout.rows() > 0) blocks.add("readout", p.readout.view());
  if (p.fitted.rows() > 0) blocks.add("fitted", p.fitted.view());
  blocks.add<std::int64_t>("support", {static_cast<Index>(f.support.size())},
                           [&f](Sink& sink) { sink.write(f.support.data(), f.support.size() * sizeof(Index)); });
  blocks.add("squared_norms", f.squared_norms);
  blocks.add("scaling.shift", p.scaling.shift);
  blocks.add("scaling.factor", p.scaling.factor);

  Json out;
  out["format"] = format_of(p);
  out["machine"] = text_json(p.machine);
  out["settings"] = std::move(settings);
  out["kernel"] = f.kernel ? text_json(f.kernel->str()) : Json(nullptr);
  out["reading"] = name_of(p.reading);
  out["classes"] = texts_json(p.classes);
  out["calibration"] = calibration_json(p.calibration);
  out["scaling"] = name_of(p.scaling.kind);
  if (p.recipe) out["table"] = recipe_json(*p.recipe);
  if (format_of(p) > kFormatWithoutMaps) {
    std::vector<std::string> maps;
    for (const RowMap& map : p.scaling.maps) maps.push_back(map.str());
    out["prepare"] = texts_json(maps);
  }
  out["inputs"] = {{"kind", text_json(p.inputs.domain.kind)},
                   {"dimension", p.inputs.domain.dimension},
                   {"columns", texts_json(p.inputs.columns)},
                   {"counted", p.inputs.counted}};
  out["targets"] = texts_json(p.targets);
  out["left_out"] = texts_json(p.left_out);
  out["training_size"] = f.training_size;
  out["centres"] = f.centres ? save_points(*f.centres, "centres", blocks) : Json(nullptr);
  if (p.provenance != Provenance()) out["provenance"] = provenance_json(p.provenance, blocks);
  out["report"] = report_json(p.report, blocks);
  out["posterior"] = posterior_json(p.posterior, blocks);
  out["blocks"] = blocks.list();
  return out;
}

Model::Parts parts_from(const Json& header, Index format, const BlockReader& blocks) {
  if (const Index own = whole(member(header, "format")); own != format) {
    fail(ErrorKind::file, "its header is of format {}, its first line says {}", own, format);
  }
  Model::Parts p{.machine = text(member(header, "machine")), .f = expansion_from(header, blocks)};
  // Files of before have hyphens in some names.
  for (const auto& [option, value] : settings_from(header, "settings")) p.settings[with_underscores(option)] = value;
  p.reading = reading_named(text(member(header, "reading")));
  p.classes = texts(header, "classes");
  p.calibration = calibration_from(member(header, "calibration"));
  p.scaling = {scaling_kind(text(member(header, "scaling"))), blocks.numbers<double>("scaling.shift"),
               blocks.numbers<double>("scaling.factor")};
  if (format > kFormatWithoutRecipe) p.recipe = std::make_shared<const Recipe>(recipe_from(member(header, "table")));
  if (format > kFormatWithoutMaps) {
    for (const std::string& map : texts(header, "prepare")) p.scaling.maps.push_back(row_map(map));
    for (const RowMap& map : p.scaling.maps) {
      if (map.use() == RowMap::Use::invariance) fail(ErrorKind::file, "{} prepares no inputs", map.str());
    }
  }
  const Json& inputs = member(header, "inputs");
  p.inputs = {{text(member(inputs, "kind")), whole(member(inputs, "dimension"), Domain::any_dimension)},
              texts(inputs, "columns")};
  // Files of before did not say whether names were in the data. Taking x1, x2, ... for counted lets such a model go on
  // reading files without a header by position; files with one are held to their names either way.
  p.inputs.counted = inputs.contains("counted") ? flag(inputs, "counted") : are_counted(p.inputs.columns);
  p.targets = texts(header, "targets");
  if (header.contains("left_out")) p.left_out = texts(header, "left_out");
  if (format > kOldestFormat) p.posterior = posterior_from(header, blocks);
  if (blocks.has("readout")) p.readout = blocks.matrix("readout");
  if (blocks.has("fitted")) p.fitted = blocks.matrix("fitted");
  p.provenance = provenance_from(header, blocks);
  p.report = report_from(member(header, "report"), blocks);
  require_sound(p);
  return p;
}

}  // namespace mercer::detail
