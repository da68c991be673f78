// What web/src/charts/types.ts wants of each kind of picture, checked on the JSON itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/exhibit.hpp"

namespace mercer::report::test {

inline std::size_t decoded_bytes(const std::string& base64) {
  std::size_t out = base64.size() / 4 * 3;
  for (auto c = base64.rbegin(); c != base64.rend() && *c == '='; ++c) --out;
  return out;
}

// How many Numbers there are; -1 where they are none.
inline long count_of(const Json& n) {
  if (n.is_array()) {
    for (const Json& v : n) {
      if (!v.is_number() && !v.is_null()) return -1;
    }
    return static_cast<long>(n.size());
  }
  if (!n.is_object()) return -1;
  if (n.contains("f32")) return static_cast<long>(decoded_bytes(n["f32"].get<std::string>()) / 4);
  if (n.contains("u8")) return static_cast<long>(decoded_bytes(n["u8"].get<std::string>()));
  return -1;
}

class Schema {
 public:
  explicit Schema(const Exhibit& e) : e_(e) {}

  // Everything that is wrong, one line each.
  std::vector<std::string> faults() {
    want(!e_.id.empty() && !e_.title.empty() && !e_.finding.empty(), "no id, title or finding");
    want(e_.finding.ends_with('.'), "the finding is no sentence: " + e_.finding);
    for (const char* word : {"nan", "inf "}) want(e_.finding.find(word) == std::string::npos, e_.finding);
    try {
      check(e_.kind, e_.data);
      Json::parse(to_json(e_).dump());
    } catch (const std::exception& error) {
      want(false, error.what());
    }
    return std::move(faults_);
  }

 private:
  void want(bool good, const std::string& what) {
    if (!good) faults_.push_back(e_.id + " (" + e_.kind + "): " + what);
  }
  const Json& field(const Json& data, const char* name) {
    want(data.is_object() && data.contains(name), std::string("no ") + name);
    static const Json none = nullptr;
    return data.is_object() && data.contains(name) ? data[name] : none;
  }
  void axis(const Json& data, const char* name) { want(field(field(data, name), "label").is_string(), name); }
  // Lists of numbers of one length; a name with "?" may be absent.
  long lists(const Json& data, const std::vector<std::string>& names, long length = -1) {
    for (const std::string& name : names) {
      const bool optional = name.ends_with('?');
      const std::string key = optional ? name.substr(0, name.size() - 1) : name;
      if (optional && !data.contains(key)) continue;
      const long count = count_of(field(data, key.c_str()));
      want(count >= 0, key + " is no list of numbers");
      if (length < 0) length = count;
      want(count == length, key + " has another length");
    }
    return length;
  }
  long marks(const Json& data) {
    const long n = lists(data, {"x", "y", "group?", "alpha?", "rows?"});
    want(n <= kMostPoints, "too many points");
    if (data.contains("wrong")) {
      for (const Json& i : data["wrong"]) want(i.get<long>() < n, "wrong names no point");
    }
    return n;
  }
  void curve(const Json& d) {
    axis(d, "x");
    axis(d, "y");
    const long n = lists(d, {"at"});
    want(n > 1 && n <= kMostPoints, "a grid of wrong size");
    want(field(d, "lines").is_array() && !d["lines"].empty(), "no line");
    for (const Json& line : d["lines"]) {
      want(field(line, "name").is_string(), "a line without a name");
      lists(line, {"y"}, n);
    }
    if (d.contains("bands")) {
      for (const Json& band : d["bands"]) {
        lists(band, {"low", "high"}, n);
        want(band["of"] == "f" || band["of"] == "y", "a band of nothing");
      }
    }
    if (d.contains("points")) marks(d["points"]);
  }
  void histogram(const Json& h) {
    want(field(h, "edges").size() == field(h, "counts").size() + 1, "edges and counts do not fit");
  }
  void ranked(const Json& d) {
    want(!field(d, "curves").empty(), "no curve");
    for (const Json& c : d["curves"]) {
      lists(c, {"x", "y", "low?", "high?", "cut?"});
      want(c["area"].is_number() && c["area"].number() >= 0 && c["area"].number() <= 1, "the area is none");
    }
  }

  void check(const std::string& kind, const Json& d) {
    if (kind == "curve") return curve(d);
    if (kind == "curves") {
      want(!field(d, "panels").empty(), "no panel");
      for (const Json& panel : d["panels"]) {
        want(field(panel, "title").is_string(), "a panel without a title");
        curve(field(panel, "curve"));
      }
      return;
    }
    if (kind == "calibration") {
      lists(field(d, "z"), {"theoretical", "observed", "rows?"});
      histogram(field(d, "pit"));
      want(d["pit"]["band"].size() == 2, "no band");
      lists(field(d, "coverage"), {"nominal", "observed", "low?", "high?"});
      return;
    }
    if (kind == "predicted_actual") {
      axis(d, "x");
      axis(d, "y");
      want(lists(d, {"predicted", "actual", "low?", "high?", "rows"}) <= kMostPoints, "too many points");
      return;
    }
    if (kind == "residuals") {
      axis(d, "x");
      axis(d, "y");
      want(lists(d, {"at", "residual", "rows"}) <= kMostPoints, "too many points");
      return histogram(field(d, "histogram"));
    }
    if (kind == "regions") {
      axis(d, "x");
      axis(d, "y");
      const long cells = d.at("nx").get<long>() * d.at("ny").get<long>();
      lists(d, {"winner?", "sure?", "field?"}, cells);
      want(d.contains("winner") || d.contains("field"), "nothing to draw");
      want(d.at("box").size() == 4 && d["box"][0].number() < d["box"][1].number() &&
               d["box"][2].number() < d["box"][3].number(),
           "an empty box");
      if (d.contains("levels")) {
        for (const Json& level : d["levels"])
          want(level.at("value").is_number() && level.at("name").is_string(), "a level");
      }
      marks(field(d, "points"));
      return;
    }
    if (kind == "surface") {
      axis(d, "x");
      axis(d, "y");
      const long nx = lists(field(d, "at"), {"x"}), ny = lists(field(d, "at"), {"y"});
      lists(d, {"z"}, nx * ny);
      return;
    }
    if (kind == "tuning") {
      axis(d, "x");
      want(d.at("best").get<std::size_t>() < d.at("cells").size(), "best names no cell");
      for (const Json& cell : d["cells"]) want(cell.at("x").is_number() && cell.at("label").is_string(), "a cell");
      return;
    }
    if (kind == "bars") {
      axis(d, "x");
      for (const Json& bar : d.at("bars")) want(bar.at("name").is_string() && bar.at("value").is_number(), "a bar");
      return;
    }
    if (kind == "path") {
      axis(d, "x");
      const long n = lists(d, {"at"});
      for (const Json& panel : d.at("panels")) {
        axis(panel, "y");
        for (const Json& line : panel.at("lines")) lists(line, {"y", "low?", "high?"}, n);
      }
      return;
    }
    if (kind == "roc") return ranked(d);
    if (kind == "precision_recall") {
      want(d.at("base").size() == d.at("curves").size(), "base");
      return ranked(d);
    }
    if (kind == "cutoff") {
      want(lists(d, {"cut", "tp", "fp"}) <= kMostPoints, "too many cuts");
      want(d.at("positive").is_string() && d.at("score").is_string() && d.at("positives").is_number(), "names");
      return;
    }
    if (kind == "reliability") {
      for (const Json& c : d.at("curves")) lists(c, {"predicted", "observed", "low", "high", "count"});
      return histogram(d.at("histogram"));
    }
    if (kind == "confusion") {
      for (const Json& row : d.at("counts"))
        want(row.size() <= std::max(d["classes"].size(), d["counts"].size() + 40), "a row");
      return;
    }
    if (kind == "densities") {
      axis(d, "x");
      const long n = lists(d, {"at"});
      for (const Json& line : d.at("lines")) lists(line, {"y"}, n);
      return;
    }
    if (kind == "table") {
      for (const Json& row : d.at("rows")) want(row.size() == d.at("columns").size(), "a row of another length");
      return;
    }
    if (kind == "facts") return want(d.at("rows").is_array(), "no rows");
    want(d.is_object(), "no object");
  }

  const Exhibit& e_;
  std::vector<std::string> faults_;
};

inline std::vector<std::string> faults_of(const Exhibit& exhibit) { return Schema(exhibit).faults(); }

}  // namespace mercer::report::test
