// Kernels that count patterns of letters: explicit sparse features, shared by all kernels that ask for the same ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "domains/strings/row.hpp"
#include "domains/strings/strings.hpp"
#include "domains/strings/windows.hpp"
#include "kernel/print.hpp"

namespace mercer::detail {

namespace {

class PatternStep final : public CountsStep<Strings> {
 public:
  PatternStep(std::string key, std::string who, Windows windows, Alphabet alphabet)
      : CountsStep(key, who, "strings"),
        key_(std::move(key)),
        who_(std::move(who)),
        windows_(std::move(windows)),
        alphabet_(alphabet) {}

  const std::string& key() const { return key_; }

 private:
  std::shared_ptr<const Counts> count(const Strings& store) const override {
    return count_patterns(*store.letters(alphabet_, who_), windows_, who_);
  }
  SparseMatrix count_as(const Counts& known, const Strings& other) const override {
    const auto counts = other.cached<std::shared_ptr<const Counts>>(key_, [&] { return count(other); });
    return in_columns_of(static_cast<const PatternCounts&>(known), static_cast<const PatternCounts&>(**counts));
  }

  void locate(const Counts& known, const Strings& other, Index i, const Visit& visit) const override {
    const Letters letters = letters_of(std::vector<std::string_view>{other[i]}, alphabet_, who_);
    for (PatternPlace& place : places_of_patterns(static_cast<const PatternCounts&>(known), letters.of(0))) {
      visit({place.column, 1, std::move(place.letters)});
    }
  }
  std::vector<std::string> places_of(const Strings& other, Index i) const override {
    return letter_texts(other[i], alphabet_);
  }

  std::string key_, who_;
  Windows windows_;
  Alphabet alphabet_;
};

int whole_number(const Node& node, std::string_view name) { return static_cast<int>(node.number(name)); }

// Counts of windows of `length` letters, `kept` of which count.
std::shared_ptr<const PatternStep> pattern_step(const Node& node, int length, int kept, bool both_strands = false) {
  const std::string& alphabet = node.word("alphabet");
  const std::string key =
      fmt::format("patterns {} of {} {}{}", kept, length, alphabet, both_strands ? " both strands" : "");
  Windows windows = kept == length ? substrings_of(length) : gapped_windows(length, kept);
  windows.both_strands = both_strands;
  return std::make_shared<PatternStep>(key, print(node), std::move(windows), alphabet_called(alphabet));
}

Slot pattern_dots(const Site& site, Emitter& e, int length, int kept) {
  const auto step = pattern_step(site.node, length, kept);
  return e.dot(e.through(site.view, step, step->key()), print(site.node));
}

double choose(int n, int k) {
  double out = 1;
  for (int i = 1; i <= k; ++i) out = out * (n - k + i) / i;
  return std::round(out);
}

constexpr double kMostMasks = 100'000;
void require_few(double masks, const std::string& who) {
  if (masks > kMostMasks) {
    fail(ErrorKind::kernel,
         "{} has {:.3g} ways to place its gaps, more than {:.0f}; take a shorter window or fewer gaps", who, masks,
         kMostMasks);
  }
}

// How many strings of k letters differ from each of two, which differ in `apart` places themselves, in at most m.
double shared_neighbours(int k, int m, int apart, double letters) {
  double total = 0;
  for (int elsewhere = 0; elsewhere <= std::min(m, k - apart); ++elsewhere) {
    const double outside = choose(k - apart, elsewhere) * std::pow(letters - 1, elsewhere);
    for (int as_first = 0; as_first <= apart; ++as_first) {
      for (int as_second = 0; as_first + as_second <= apart; ++as_second) {
        if (apart - as_first + elsewhere > m || apart - as_second + elsewhere > m) continue;
        total += outside * choose(apart, as_first) * choose(apart - as_first, as_second) *
                 std::pow(letters - 2, apart - as_first - as_second);
      }
    }
  }
  return total;
}

// What a gapped pattern counts: pairs of windows that differ in d places share choose(k - d, j) patterns that keep j
// letters, so numbers w_j with sum_j w_j choose(k - d, j) = shared_neighbours(d) make the same kernel.
Vector mismatch_weights(int k, int m, double letters) {
  Vector weights(static_cast<std::size_t>(k) + 1);
  for (int d = std::min(k, 2 * m); d >= 0; --d) {
    double left = shared_neighbours(k, m, d, letters);
    for (int j = 0; j < k - d; ++j) left -= weights[static_cast<std::size_t>(j)] * choose(k - d, j);
    weights[static_cast<std::size_t>(k - d)] = left;
  }
  return weights;
}

Slot weighed(Slot slot, Coefficient weight, Emitter& e) {
  return e.op(polynomial_op(slot, {Coefficient{0}, std::move(weight)}));
}

}  // namespace

std::shared_ptr<const FeatureStep> spectrum_features(const Node& node) {
  const int k = whole_number(node, "k");
  return pattern_step(node, k, k, node.word("reverse_complement") == "yes");
}
void check_strands(const Node& node) {
  if (node.word("reverse_complement") == "yes" && node.word("alphabet") != "dna") {
    fail(ErrorKind::kernel, "{}(reverse_complement=yes) needs alphabet=dna", node.entry->name);
  }
}

std::shared_ptr<const FeatureStep> gapped_features(const Node& node) {
  return pattern_step(node, whole_number(node, "g"), whole_number(node, "k"), node.word("reverse_complement") == "yes");
}
void check_gapped(const Node& node) {
  const int g = whole_number(node, "g"), k = whole_number(node, "k");
  if (k > g) fail(ErrorKind::kernel, "gapped(g={}, k={}): k letters of a window of g: k must not be above g", g, k);
  require_few(choose(g, k), fmt::format("gapped(g={}, k={})", g, k));
  check_strands(node);
}

Value emit_mismatch(const Site& site, Emitter& e) {
  const int k = whole_number(site.node, "k"), m = whole_number(site.node, "m");
  const auto letters = static_cast<double>(alphabet_size(alphabet_called(site.node.word("alphabet"))));
  const Vector weights = mismatch_weights(k, m, letters);
  std::vector<Value> terms;
  for (int kept = std::max(0, k - 2 * m); kept <= k; ++kept) {
    const double weight = weights[static_cast<std::size_t>(kept)];
    if (weight == 0) continue;
    terms.push_back({.factors = {weighed(pattern_dots(site, e, k, kept), {weight}, e)}});
  }
  return {.factors = {e.sum_of(std::move(terms))}};
}
void check_mismatch(const Node& node) {
  const int k = whole_number(node, "k"), m = whole_number(node, "m");
  if (m > k) fail(ErrorKind::kernel, "mismatch(k={}, m={}): m of k letters may differ: m must not be above k", k, m);
  double masks = 0;
  for (int kept = std::max(0, k - 2 * m); kept <= k; ++kept) masks += choose(k, kept);
  require_few(masks, fmt::format("mismatch(k={}, m={})", k, m));
}

void require_decay(double decay, int length, const std::string& who) {
  constexpr double kLeast = 1e-290;
  if (std::pow(decay, 2 * length) >= kLeast) return;
  fail(ErrorKind::numeric,
       "{}: decay^{} = {}^{} is too small for a number; take a decay of {:.2g} or more, or shorter pieces", who,
       2 * length, decay, 2 * length, std::pow(kLeast, 0.5 / length));
}

}  // namespace mercer::detail
