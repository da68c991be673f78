// Model files from hostile bytes: refused with a FileError on one line, or a model that predicts and survives being
// saved. Hardly any mutation would get past the length in the first line and the checksum, so both are put right here.
// An input is what is between them, or, since most mutations of JSON are none, a script of changes to a good file:
// a byte that chooses the file, then four bytes for each change.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "fuzz/target.hpp"
#include "mercer/error.hpp"
#include "mercer/kernel.hpp"
#include "mercer/model_file.hpp"

namespace mercer::fuzz_model {

namespace {

std::string saved(const Model& m) {
  std::ostringstream out;
  save(out, m);
  return out.str();
}

std::string seed(const char* kernel, const Points& x, void (*change)(Model::Parts&) = nullptr) {
  Expansion::Parts f;
  f.kernel = parse(kernel);
  f.centres = x;
  f.alpha = Matrix(x.size(), 1, 0.5);
  f.support = {1, 3};
  f.training_size = 5;
  Model::Parts p{.machine = "svc", .settings = {{"C", "10"}}, .f = Expansion(std::move(f))};
  p.reading = Reading::binary;
  p.classes = {"ham", "spam \xff"};
  p.inputs = Schema::of(x);
  p.report.add("gap", 1e-3);
  if (change != nullptr) change(p);
  const std::string bytes = saved(Model(std::move(p)));
  const std::size_t first = bytes.find('\n') + 1;
  return bytes.substr(first, bytes.size() - first - 4);
}

std::string sealed(const std::string& content) {
  std::string line;
  for (std::size_t total = 0; line.size() + content.size() + 4 != total;) {
    total = line.size() + content.size() + 4;
    line = "mercer-model 2 " + std::to_string(total) + "\n";
  }
  std::string out = line + content;
  const auto sum = static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(out.data()), out.size()));
  for (int byte = 0; byte < 4; ++byte) out += static_cast<char>(sum >> (8 * byte) & 0xFF);
  return out;
}

SparseMatrix sparse() { return {2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}}; }

bool has_twins(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

// A model that came through is used: on its own centres, as far as they are like its inputs and not too wide.
void use(const Model& m) {
  const auto& centres = m.expansion().parts().centres;
  if (!centres || centres->domain().dimension > 1000) return;
  try {
    m.scores(*centres);
    m.predict(*centres);
    m.probabilities(*centres);
  } catch (const Error&) {
  }
}

const std::vector<std::string> good = {
    seed("rbf(ell=0.5)", rows(Matrix{{1, 2}, {3, 4}})),
    seed("on(a, linear()) + 1", named(rows(Matrix{{1, 2}, {3, 4}}), {"a", "b"}),
         [](Model::Parts& p) {
           p.scaling = {Scaling::Kind::standard, {1, 2}, {0.5, 0.25}};
           p.calibration = {Calibration::Kind::sigmoids, {{-1, 0.5}}};
           p.report.tables = {{"path", {"a", "b"}, Matrix{{1, 2}}}};
         }),
    seed("poly(degree=2, c=1)", rows(sparse())),
    seed("spectrum(k=2)", strings({"abab", "b"})),
    seed("on(x, rbf(ell=1))*on(doc, spectrum(k=1))",
         table({{"x", rows(Matrix{{1, 2}, {3, 4}})}, {"doc", strings({"ab", ""})}})),
};

void collect(Json& value, std::vector<Json*>& out) {
  out.push_back(&value);
  if (value.is_object()) {
    for (auto& member : value.items()) collect(member.second, out);
  } else if (value.is_array()) {
    for (Json& child : value) collect(child, out);
  }
}

const Json interesting[] = {0,
                            -1,
                            1,
                            2,
                            1.5,
                            1e300,
                            std::numeric_limits<std::int64_t>::max(),
                            std::numeric_limits<std::uint64_t>::max(),
                            std::numeric_limits<std::int64_t>::min(),
                            2147483648,
                            true,
                            nullptr,
                            "",
                            "nan",
                            "-inf",
                            "f64",
                            "f32",
                            "i64",
                            "table",
                            "sparse",
                            "strings",
                            "votes",
                            "largest",
                            "ratio",
                            "linear()",
                            "const(c=1)",
                            "on(2, rbf(ell=1))",
                            "spectrum(k=1048576)",
                            "assume_psd(x[9]*y[9], \"so\")",
                            Json::array(),
                            Json::object(),
                            {1, 2},
                            {{"hex", "00ff"}}};

template <class T>
void overwrite(std::string& bytes, std::size_t at, T value) {
  if (at + sizeof(value) <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof(value));
}

std::string follow(const std::uint8_t* script, std::size_t size) {
  const std::string& base = good[script[0] % good.size()];
  const std::size_t line = base.find('\n');
  Json header = Json::parse(base.substr(0, line));
  std::string blocks = base.substr(line + 1);
  for (std::size_t i = 1; i + 4 <= size; i += 4) {
    const std::size_t kind = script[i], what = script[i + 1], where = script[i + 2] + 256u * script[i + 3];
    std::vector<Json*> nodes;
    collect(header, nodes);
    Json& node = *nodes[where % nodes.size()];
    switch (kind % 7) {
      case 0: node = interesting[what % std::size(interesting)]; break;
      case 1: node = Json(*nodes[what % nodes.size()]); break;
      case 2:
        if (node.is_array() && !node.empty()) node.erase(what % node.size());
        if (node.is_object() && !node.empty())
          node.items().erase(std::next(node.items().begin(), static_cast<int>(what % node.size())));
        break;
      case 3:
        if (node.is_array() && !node.empty()) node.push_back(Json(node[what % node.size()]));
        break;
      case 4: overwrite(blocks, where % (blocks.size() + 1), script[i + 1]); break;
      case 5: overwrite(blocks, where / 4 * 4 % (blocks.size() + 1), static_cast<std::int64_t>(what) - 2); break;
      default: blocks.resize(std::min<std::size_t>(blocks.size() + what % 3 * 8, 4096)); break;
    }
  }
  return header.dump() + '\n' + blocks;
}

std::vector<std::string> seeds() {
  std::vector<std::string> out = good;
  for (std::size_t i = 0; i < 20; ++i) {
    std::string script;
    for (std::size_t j = 0; j < 1 + 4 * (1 + i % 4); ++j) script += static_cast<char>(37 * i + 101 * j);
    out.push_back(script);
  }
  return out;
}

void run(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const std::string content = data[0] == '{' ? std::string(reinterpret_cast<const char*>(data), size)
                                             : follow(data, std::min<std::size_t>(size, 65));
  try {
    const Model m = load_bytes(sealed(content), "fuzz.mercer");
    if (has_twins(m.classes())) std::abort();
    const auto& centres = m.expansion().parts().centres;
    const std::vector<std::string>& columns = m.parts().inputs.columns;
    if (has_twins(columns) && !(centres && centres->column_names() == columns)) std::abort();
    use(m);
    const std::string once = saved(m);
    if (saved(load_bytes(once, "again.mercer")) != once) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::file || std::string(error.what()).find('\n') != std::string::npos) std::abort();
    if (std::string(error.what()).starts_with("FileError: again.mercer")) std::abort();
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"model", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_model
