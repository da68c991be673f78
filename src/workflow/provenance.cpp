#include "workflow/provenance.hpp"

#include <fmt/format.h>

#include "distributed/ranks.hpp"
#include "domains/fingerprints.hpp"
#include "file/file_hash.hpp"

namespace mercer::workflow {

namespace {

// What a user has to give again, by the names of the command's options.
Settings read_options(const FitRequest& request) {
  const Source& source = request.source;
  Settings out;
  for (const auto& [name, value] : {std::pair("target", request.target),
                                    {"weights", request.weights},
                                    {"graph", source.graph},
                                    {"node", source.node},
                                    {"graphs", source.graphs},
                                    {"bag", source.bag},
                                    {"series", source.series},
                                    {"text", source.text}}) {
    if (!value.empty()) out[name] = value;
  }
  const auto list = [&](const char* name, const std::vector<std::string>& words) {
    if (!words.empty()) out[name] = fmt::format("{}", fmt::join(words, ","));
  };
  std::vector<std::string> types;
  for (const auto& [name, type] : request.table.types) types.push_back(name + "=" + type);
  list("types", types);
  list("columns", request.table.columns);
  list("drop", request.table.drop);
  list("missing", request.table.missing);
  if (source.format != Format::automatic) out["format"] = source.format.name;
  if (source.header) out["header"] = *source.header ? "yes" : "no";
  return out;
}

}  // namespace

Provenance provenance_of(const FitRequest& request, const RawTraining& raw) {
  const Source& source = request.source;
  Provenance out{
      .source = source.path == "-" ? "" : source.path,
      .sha256 = source.data ? source.sha256 : distributed::of_first("hash", [&] { return file_hash(source.path); }),
      .read = read_options(request),
      .weights = raw.weights};
  if (!is_precomputed(request.kernel)) out.rows = fingerprints(raw.points);
  return out;
}

Provenance provenance_of(const Prepared& data, const Model& model) {
  Provenance out = data.provenance;
  const Settings& known = model.parts().provenance.read;
  if (const auto begun = known.find("kernel"); begun != known.end()) out.read.insert(*begun);
  const auto seen = static_cast<std::size_t>(model.expansion().parts().training_size);
  if (out.rows.size() == seen && (out.weights.empty() || out.weights.size() == seen)) return out;
  std::vector<std::int64_t> rows;
  if (data.training.start) rows = data.training.start->parts().provenance.rows;
  rows.insert(rows.end(), out.rows.begin(), out.rows.end());
  out.rows = rows.size() == seen ? std::move(rows) : std::vector<std::int64_t>();
  if (out.weights.size() != seen) out.weights.clear();
  return out;
}

}  // namespace mercer::workflow
