// A TU folder in the place of a data file.
#include <cmath>
#include <filesystem>
#include <map>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "domains/graphs/row.hpp"
#include "domains/graphs/tu_folder.hpp"
#include "file/bytes.hpp"
#include "mercer/graph.hpp"

namespace mercer::detail {

namespace {

namespace fs = std::filesystem;

// "data/MUTAG/" is called MUTAG, and so are its files.
std::string name_of_folder(const std::string& path) {
  const fs::path folder = fs::path(path).lexically_normal();
  return folder.has_filename() ? folder.filename().string() : folder.parent_path().filename().string();
}

std::string file_of(const std::string& path, const char* part) {
  return (fs::path(path) / fmt::format("{}_{}.txt", name_of_folder(path), part)).string();
}

// The file as it is or compressed, nothing where there is neither.
std::optional<std::string> find_part(const std::string& path, const char* part) {
  for (const std::string& file : {file_of(path, part), file_of(path, part) + ".gz"}) {
    std::error_code ignored;
    if (fs::exists(file, ignored)) return file;
  }
  return std::nullopt;
}

std::optional<Bytes> read_part(const std::string& path, const char* part) {
  const std::optional<std::string> file = find_part(path, part);
  return file ? std::optional(read_bytes(*file)) : std::nullopt;
}

Bytes require_part(const std::string& path, const char* part) {
  std::optional<Bytes> bytes = read_part(path, part);
  if (!bytes) {
    fail(ErrorKind::file, "{}: has no file {}[.gz]; a folder of graphs has NAME_A.txt and NAME_graph_indicator.txt",
         path, fs::path(file_of(path, part)).filename().string());
  }
  return *bytes;
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && (find_part(path, "A") || find_part(path, "graph_indicator"));
}

// Nothing where some are none, or where two classes are one number, 1 and 01.
Vector numbers_of(const std::vector<std::string>& targets, bool are_classes) {
  Vector out;
  std::map<double, const std::string*> text_of;
  for (const std::string& target : targets) {
    const std::optional<double> value = parse_number(target);
    if (!value || !std::isfinite(*value)) return {};
    if (are_classes && *text_of.emplace(*value, &target).first->second != target) return {};
    out.push_back(*value);
  }
  return out;
}

Dataset read_tu(const std::string& path, const ReadOptions& options) {
  if (!options.target.empty()) {
    fail(ErrorKind::usage, "{}: in a folder of graphs the graph labels are the target; leave the target option out",
         path);
  }
  if (options.header || options.columns != 0) {
    fail(ErrorKind::usage, "{}: a folder of graphs has neither a header nor columns; leave these options out", path);
  }
  const Bytes edges = require_part(path, "A"), graph_of_node = require_part(path, "graph_indicator");
  const auto classes = read_part(path, "graph_labels"), numbers = read_part(path, "graph_attributes"),
             node_labels = read_part(path, "node_labels"), edge_labels = read_part(path, "edge_labels"),
             attributes = read_part(path, "node_attributes");
  const auto text = [](const std::optional<Bytes>& bytes) { return bytes ? std::optional(bytes->text) : std::nullopt; };
  TuGraphs read = parse_tu({.edges = edges.text,
                            .graph_of_node = graph_of_node.text,
                            .graph_labels = text(classes),
                            .graph_attributes = text(numbers),
                            .node_labels = text(node_labels),
                            .edge_labels = text(edge_labels),
                            .node_attributes = text(attributes)},
                           name_of_folder(path));
  Dataset out{.points = graphs(std::move(read.graphs))};
  if (read.targets.empty()) return out;
  out.target_name = classes ? "graph_labels" : "graph_attributes";
  out.target_numbers = numbers_of(read.targets, classes.has_value());
  if (out.target_numbers.empty()) out.target_texts = std::move(read.targets);
  return out;
}

}  // namespace

std::vector<FileFormat> graph_formats() { return {{.name = "tu", .is_folder = is_folder, .read_folder = read_tu}}; }

}  // namespace mercer::detail
