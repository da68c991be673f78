// The list of domains. To add one, write its folder and name its row here.
#include "domains/domains.hpp"

#include "base/fail.hpp"
#include "base/random.hpp"
#include "domains/bags/row.hpp"
#include "domains/graphs/row.hpp"
#include "domains/nodes/row.hpp"
#include "domains/series/row.hpp"
#include "domains/strings/row.hpp"
#include "file/blocks.hpp"
#include "file/fields.hpp"
#include "kernel/leaves.hpp"
#include "points/archive.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

Points sample_reals(Index count, std::uint64_t seed) {
  Random random(seed);
  Matrix x(count, 3);
  for (Index i = 0; i < count; ++i) {
    for (Index k = 0; k < x.cols(); ++k) x(i, k) = random.normal();
  }
  return rows(std::move(x));
}

}  // namespace

std::span<const DomainRow> domains() {
  static const std::vector<DomainRow> all = {
      {.kind = "reals",
       .kernels = real_kernels,
       .loads = {{"dense", load_dense}, {"sparse", load_sparse}},
       .sample = sample_reals},
      {.kind = "table", .loads = {{"table", load_table}}},
      strings_domain(),
      graphs_domain(),
      bags_domain(),
      gaussians_domain(),
      series_domain(),
      nodes_domain(),
  };
  return all;
}

// Kernels by their domains, then the rules.
std::span<const Entry> entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> rows;
    const auto append = [&](std::vector<Entry> more) { std::move(more.begin(), more.end(), std::back_inserter(rows)); };
    for (const DomainRow& domain : domains()) {
      if (domain.kernels != nullptr) append(domain.kernels());
    }
    append(closure_rules());
    return rows;
  }();
  return all;
}

Json save_points(const Points& x, const std::string& prefix, BlockWriter& blocks, int level) {
  return x.rep().save(prefix, blocks, level);
}

Points load_points(const Json& json, const std::string& prefix, const BlockReader& blocks, int level) {
  const std::string kind = text(member(json, "kind"));
  for (const DomainRow& domain : domains()) {
    for (const auto& [saved, load] : domain.loads) {
      if (saved != kind) continue;
      const Points x = load(json, prefix, blocks, level);
      const Json* const name = json.find("name");  // of a collection that is a column
      return name == nullptr || text(*name).empty() ? x : x.rep().called(text(*name));
    }
  }
  fail(ErrorKind::file, "points of the unknown kind {}", shown(kind));
}

}  // namespace mercer::detail
