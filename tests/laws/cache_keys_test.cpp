// What is asked of points once is kept, under a key that must name the question with all its arguments. The law: two
// kernels that differ in one argument never share an answer, neither within one expression nor in the store of points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "domains/domains.hpp"
#include "kernel/catalog.hpp"
#include "mercer/error.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"

namespace mercer::cache_keys_test {
namespace {

using detail::Arg;
using detail::ArgKind;
using detail::Entry;

// What an argument may be, as it is written; an empty text leaves it out.
std::vector<std::string> values_of(const Arg& arg) {
  const double given = std::isnan(arg.fallback) ? 2 : arg.fallback;
  std::vector<double> numbers;
  switch (arg.kind) {
    case ArgKind::real:
    case ArgKind::per_column: numbers = {given == 0 ? 0.5 : given, given == 0 ? 0.25 : given / 2}; break;
    case ArgKind::integer: numbers = {given, given + 1, given + 2}; break;
    case ArgKind::choice: numbers = arg.choices; break;
    case ArgKind::number: numbers = {given, given + 1}; break;
    case ArgKind::word: return arg.words;
    case ArgKind::coefficients: return {"[1, 2]", "[1, 3]"};
    case ArgKind::matrix: return {"[[2, 1], [1, 2]]", "[[2, 1], [1, 3]]"};
    case ArgKind::columns: return {"1", "2"};
    case ArgKind::map: return {"tanh", "asinh"};
    case ArgKind::weight: return {"norm", "sum"};
    case ArgKind::kernel:
      if (arg.optional) return {"", "rbf(ell=1)", "rbf(ell=2)"};
      return {"rbf(ell=1)", "rbf(ell=2)"};
    default: return {};
  }
  std::vector<std::string> out;
  for (const double number : numbers) out.push_back(mercer::number(number));
  return out;
}

std::string text_of(const Entry& entry, const std::vector<std::string>& values) {
  std::string out;
  for (std::size_t a = 0; a < values.size(); ++a) {
    const Arg& arg = entry.args[a];
    if (values[a].empty()) continue;
    const bool by_place = arg.kind == ArgKind::kernel && !arg.optional;
    const bool bare = arg.kind == ArgKind::map || arg.kind == ArgKind::weight || arg.kind == ArgKind::columns ||
                      arg.kind == ArgKind::coefficients;
    out += (out.empty() ? "" : ", ") + (by_place || bare ? "" : arg.name + "=") + values[a];
  }
  return entry.name + "(" + out + ")";
}

// All ways to choose the arguments of a row that make a kernel.
struct Choice {
  std::vector<std::size_t> which;  // among the values of each argument
  Kernel k;
};
std::vector<Choice> choices(const Entry& entry) {
  std::vector<std::vector<std::string>> values;
  for (const Arg& arg : entry.args) values.push_back(values_of(arg));
  std::vector<Choice> out;
  std::vector<std::size_t> which(values.size());
  while (true) {
    std::vector<std::string> chosen;
    for (std::size_t a = 0; a < which.size(); ++a) chosen.push_back(values[a][which[a]]);
    try {
      out.push_back({which, parse(text_of(entry, chosen))});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kernel) << error.what();  // arguments that do not go together
    }
    std::size_t a = 0;
    while (a < which.size() && ++which[a] == values[a].size()) which[a++] = 0;
    if (a == which.size()) return out;
  }
}

// Where two choices differ, if in one argument only.
std::optional<std::size_t> only_difference(const Choice& a, const Choice& b) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < a.which.size(); ++i) {
    if (a.which[i] == b.which[i]) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

double largest_gap(const Matrix& sum, const Matrix& a, const Matrix& b) {
  double gap = 0, scale = 0;
  for (Index i = 0; i < sum.rows(); ++i) {
    for (Index j = 0; j < sum.cols(); ++j) {
      gap = std::max(gap, std::abs(sum(i, j) - a(i, j) - b(i, j)));
      scale = std::max(scale, std::abs(sum(i, j)));
    }
  }
  return scale == 0 ? gap : gap / scale;
}

// Points of a new store each time.
using Draw = std::function<Points()>;

// Holds every pair of choices to the law; returns the arguments that were seen to matter.
std::set<std::string> hold(const Entry& entry, const Draw& draw) {
  const std::vector<Choice> all = choices(entry);
  std::vector<std::optional<Matrix>> alone(all.size());
  for (std::size_t c = 0; c < all.size(); ++c) {
    try {
      alone[c] = gram(all[c].k, draw());
    } catch (const Error& error) {  // letters that are not in the alphabet
      EXPECT_TRUE(error.kind() == ErrorKind::data || error.kind() == ErrorKind::domain) << error.what();
    }
  }
  std::set<std::string> matter;
  for (std::size_t p = 0; p < all.size(); ++p) {
    for (std::size_t q = 0; q < p; ++q) {
      const auto argument = only_difference(all[p], all[q]);
      if (!argument || !alone[p] || !alone[q]) continue;
      const Kernel &a = all[p].k, &b = all[q].k;
      const Points x = draw();
      EXPECT_LT(largest_gap(gram(a + b, x), *alone[p], *alone[q]), 1e-12) << a.str() << " + " << b.str();
      EXPECT_EQ(gram(a, x), *alone[p]) << a.str() << " after " << b.str();
      EXPECT_EQ(gram(b, x), *alone[q]) << b.str() << " after " << a.str();
      if (*alone[p] != *alone[q]) matter.insert(entry.args[*argument].name);
    }
  }
  return matter;
}

Points numbers() {  // none below 0, as some kernels need
  Matrix x(9, 2);
  for (Index i = 0; i < 18; ++i) x.data()[i] = 1 + std::sin(1.7 * static_cast<double>(i));
  return rows(std::move(x));
}

Points tasks() { return rows(Matrix{{1}, {2}, {2}, {1}, {2}}); }

Points texts() {  // some letters of one, two and three bytes
  return strings({"Ärger", "Arger", "größer", "grosser", "naïve", "€uro", "euro€"});
}

Points dna_in_both_cases() { return strings({"ACGTACGTA", "acgtACGTA", "aCgTaCgTt", "TTGACGTAc", "ttgacgtac"}); }

class CacheKeys : public ::testing::TestWithParam<const Entry*> {};

TEST_P(CacheKeys, NameEveryArgument) {
  const Entry& entry = *GetParam();
  std::set<std::string> matter;
  const bool on_numbers = entry.domain.empty() || entry.domain == "any" || entry.domain == "reals";
  if (on_numbers) matter = hold(entry, entry.name == "coregion" ? tasks : numbers);
  for (const detail::DomainRow& domain : detail::domains()) {
    if (domain.kind == entry.domain && !on_numbers) matter = hold(entry, [&] { return domain.sample(9, 7); });
  }
  if (entry.domain == "strings") matter.merge(hold(entry, dna_in_both_cases));
  if (entry.domain == "strings" && entry.name != "weighted_degree") matter.merge(hold(entry, texts));
  for (const Arg& arg : entry.args) EXPECT_TRUE(matter.count(arg.name)) << arg.name << " makes no difference here";
}

// Those written with signs, and those made of what only a program has.
bool is_function(const Entry& entry) {
  const std::set<std::string> others = {"sum", "product", "scale", "power", "features", "assume_psd"};
  return !entry.args.empty() && others.count(entry.name) == 0;
}

std::vector<const Entry*> functions() {
  std::vector<const Entry*> out;
  for (const Entry& entry : detail::entries()) {
    if (is_function(entry)) out.push_back(&entry);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Catalog, CacheKeys, ::testing::ValuesIn(functions()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace mercer::cache_keys_test
