// Work on many points is cut into pieces, of 1,024 at most places. What a kernel of objects says of a pair of them must
// not depend on where the cuts fall, nor on the store that the pair is taken from.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "domains/domains.hpp"
#include "mercer/kernels.hpp"
#include "mercer/testing.hpp"
#include "points/join.hpp"

namespace mercer::borders_test {
namespace {

using detail::DomainRow;
using detail::Entry;

struct Case {
  const DomainRow* domain;
  std::string kernel;
};

// Every kernel of objects by its example, and those with a kernel between the parts of an object.
std::vector<Case> cases() {
  std::vector<Case> out;
  for (const DomainRow& domain : detail::domains()) {
    if (domain.kind == "reals" || domain.kernels == nullptr) continue;
    for (const Entry& entry : domain.kernels()) {
      out.push_back({&domain, entry.example});
      for (const detail::Arg& arg : entry.args) {
        if (arg.optional) out.push_back({&domain, entry.name + "(" + arg.name + "=rbf(ell=1))"});
      }
    }
  }
  return out;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  std::string out;
  for (const char c : info.param.kernel) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

class Borders : public ::testing::TestWithParam<Case> {};

// A copy with a store of its own.
Points alone(const Points& x) { return join(x, x.slice({0, 0})); }

TEST_P(Borders, ChangeNoValue) {
  const Kernel k = parse(GetParam().kernel);
  const Points x = GetParam().domain->sample(1025, 7);
  const std::vector<Index> edge = {0, 511, 512, 1022, 1023, 1024};
  const Points few = alone(x.select(edge));
  const Matrix expected = gram(k, few);
  const Vector own = diagonal(k, few);
  for (const Index count : {1023, 1024, 1025}) {
    SCOPED_TRACE(count);
    const Points many = x.slice({0, count});
    const Matrix down = cross(k, many, few), across = cross(k, few, many);
    const Vector diagonal_of_many = diagonal(k, many);
    for (std::size_t a = 0; a < edge.size() && edge[a] < count; ++a) {
      EXPECT_EQ(diagonal_of_many[at(edge[a])], own[a]);
      for (std::size_t b = 0; b < edge.size(); ++b) {
        const double value = expected(static_cast<Index>(a), static_cast<Index>(b));
        EXPECT_EQ(down(edge[a], static_cast<Index>(b)), value) << edge[a] << ", " << edge[b];
        EXPECT_EQ(across(static_cast<Index>(b), edge[a]), value) << edge[b] << ", " << edge[a];
      }
    }
  }
}

// Rows that do not stand side by side, in any order, of a matrix that is computed when asked for.
TEST_P(Borders, RowsInAnyOrder) {
  const Kernel k = parse(GetParam().kernel);
  const Points x = GetParam().domain->sample(12, 3);
  const Matrix K = gram(k, x);
  for (const Gram& g : {lazy(k, x), cached(lazy(k, x), 3 * 12 * sizeof(double)), exact(k, x)}) {
    for (const std::vector<Index>& which : {std::vector<Index>{5, 2, 9}, {11, 0}, {3, 4, 5, 5}}) {
      const Matrix rows = g.rows(which);
      for (std::size_t r = 0; r < which.size(); ++r) {
        for (Index j = 0; j < K.cols(); ++j) EXPECT_EQ(rows(static_cast<Index>(r), j), K(which[r], j)) << which[r];
      }
    }
  }
  EXPECT_EQ(testing::broken_gram_laws(lazy(k, x)), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Catalog, Borders, ::testing::ValuesIn(cases()), name_of);

// What `auto` means is read from the points it is asked of, and not from others of their store.
TEST(Auto, OfASliceIsThatOfItsPoints) {
  for (const DomainRow& domain : detail::domains()) {
    if (domain.sample == nullptr || domain.kernels == nullptr) continue;
    for (const Entry& entry : domain.kernels()) {
      for (const detail::Arg& arg : entry.args) {
        const bool scale = arg.kind == detail::ArgKind::per_column && entry.heuristic != detail::Heuristic::none;
        const bool premise = arg.kind == detail::ArgKind::kernel;
        if (!scale && !premise && arg.automatic.empty()) continue;
        const std::string value = premise ? "rbf(ell=auto)" : "auto";
        const bool named = !premise || arg.optional;
        const Kernel k = parse(entry.name + "(" + (named ? arg.name + "=" : "") + value + ")");
        SCOPED_TRACE(k.str());
        const Points x = domain.sample(20, 5);
        const std::vector<Index> some = {4, 17, 9, 2, 11};
        bool differs = false;  // from that of all, so that a mistake would show
        for (const Points& part : {x.select(some), x.slice({3, 9})}) {
          EXPECT_EQ(k.resolve(part).str(), k.resolve(alone(part)).str());
          differs = differs || k.resolve(part).str() != k.resolve(x).str();
        }
        EXPECT_TRUE(differs);
      }
    }
  }
}

}  // namespace
}  // namespace mercer::borders_test
