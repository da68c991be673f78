#include "domains/fingerprints.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/fingerprint.hpp"
#include "distributed/packed.hpp"
#include "distributed/ranks.hpp"
#include "domains/bags/gaussians.hpp"
#include "domains/graphs/graphs.hpp"
#include "domains/groups.hpp"
#include "domains/nodes/nodes.hpp"
#include "domains/strings/strings.hpp"
#include "points/rep.hpp"
#include "points/streamed.hpp"

namespace mercer {

namespace {

void add(const Graph& graph, Fingerprint& print) {
  const auto labels = [&](std::span<const std::int32_t> of, const std::vector<std::string>& names) {
    print.word(of.size());
    for (const std::int32_t label : of) print.text(names[at(label)]);
  };
  print.word(graph.directed() ? 1 : 0);
  print.add(graph.offsets());
  print.add(graph.neighbours());
  print.add(graph.weights());
  labels(graph.node_labels(), graph.node_label_names());
  labels(graph.edge_labels(), graph.edge_label_names());
  const MatrixView attributes = graph.attributes();
  print.add(std::span<const double>(attributes.data(), at(attributes.rows() * attributes.cols())));
}

// The numbers that are not 0, each with its column, so that dense and sparse rows say the same.
std::vector<Fingerprint> of_reals(const Points& x) {
  std::vector<Fingerprint> out(at(x.size()));
  const auto add = [&](Index i, Index column, double value) {
    if (value == 0) return;
    out[at(i)].word(static_cast<std::uint64_t>(column));
    out[at(i)].number(value);
  };
  if (const SparseMatrix* const sparse = sparse_rows(x)) {
    for (Index i = 0; i < x.size(); ++i) {
      for (Index k = sparse->offsets[at(i)]; k < sparse->offsets[at(i + 1)]; ++k) {
        add(i, sparse->columns[at(k)], sparse->values[at(k)]);
      }
    }
    return out;
  }
  constexpr Index kAtOnce = 1024;  // rows of floats become doubles: some of them, and not a copy of all
  for (Index first = 0; first < x.size(); first += kAtOnce) {
    const DenseRows rows = dense_rows(x.slice({first, std::min(first + kAtOnce, x.size())}));
    for (Index i = 0; i < rows.values.rows(); ++i) {
      for (Index j = 0; j < rows.values.cols(); ++j) add(first + i, j, rows.values(i, j));
    }
  }
  return out;
}

std::vector<Fingerprint> prints_of(const Points& x);

// Each part by itself: parts that say nothing, as rows of zeros do, must not run together with the next.
std::vector<Fingerprint> of_table(const Table& table) {
  std::vector<Fingerprint> out(at(table.size()));
  for (const auto& [name, part] : table.parts) {
    const std::vector<Fingerprint> own = prints_of(part);
    for (std::size_t i = 0; i < out.size(); ++i) out[i].word(own[i].value());
  }
  return out;
}

std::vector<Fingerprint> of_groups(const ObjectsOf<Groups>& groups) {
  const ChosenGroups chosen = choose(*groups.store, groups.which);
  const std::vector<Fingerprint> elements = prints_of(chosen.elements);
  std::vector<Fingerprint> out(at(groups.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (Index k = chosen.offsets[i]; k < chosen.offsets[i + 1]; ++k) out[i].word(elements[at(k)].value());
  }
  return out;
}

// Objects that say by themselves what they are.
template <class T, class Add>
bool added(const Points& x, std::vector<Fingerprint>& out, Add add) {
  const ObjectsOf<T> objects = find_objects<T>(x);
  if (!objects) return false;
  out.resize(at(x.size()));
  for (Index i = 0; i < x.size(); ++i) add(*objects.store, objects.which[i], out[at(i)]);
  return true;
}

std::vector<Fingerprint> prints_of(const Points& x) {
  if (find_reals(x) != nullptr) return of_reals(x);
  if (const Table* const table = find_table(x)) return of_table(*table);
  if (const ObjectsOf<Groups> groups = find_objects<Groups>(x)) return of_groups(groups);
  std::vector<Fingerprint> out;
  const bool known =
      added<Strings>(x, out, [](const Strings& all, Index i, Fingerprint& print) { print.text(all[i]); }) ||
      added<Graphs>(x, out, [](const Graphs& all, Index i, Fingerprint& print) { add(all[i], print); }) ||
      added<Nodes>(
          x, out,
          [](const Nodes& all, Index i, Fingerprint& print) { print.word(static_cast<std::uint64_t>(all[i])); }) ||
      added<Gaussians>(x, out, [](const Gaussians& all, Index i, Fingerprint& print) {
        print.add(std::span<const double>(all.numbers().row(i), at(all.numbers().cols())));
      });
  if (!known) fail(ErrorKind::domain, "fingerprints: {} are of no kind that is known here", x.domain().str());
  return out;
}

}  // namespace

std::vector<std::int64_t> fingerprints(const Points& x) {
  const auto numbers = [](const Points& some) {
    std::vector<std::int64_t> out;
    for (const Fingerprint& print : prints_of(some)) out.push_back(static_cast<std::int64_t>(print.value()));
    return out;
  };
  if (!is_streamed(x)) return numbers(x);
  constexpr Index kAtOnce = Index{1} << 14;
  std::vector<std::int64_t> out;
  distributed::each(
      "fingerprints", (x.size() + kAtOnce - 1) / kAtOnce,
      [&](Index block) {
        const Range some = {block * kAtOnce, std::min((block + 1) * kAtOnce, x.size())};
        return distributed::Packing().all(std::span<const std::int64_t>(numbers(x.slice(some)))).bytes();
      },
      [&](const std::string& bytes) {
        const std::vector<std::int64_t> some = distributed::Unpacking(bytes).all<std::int64_t>();
        out.insert(out.end(), some.begin(), some.end());
      });
  return out;
}

}  // namespace mercer
