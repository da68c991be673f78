#include "machines/svm/loop_state.hpp"

#include <algorithm>
#include <cstdint>

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer::detail {

namespace {

constexpr std::size_t kMarks = 19;
// So many marks of variables are one number, which holds them exactly.
constexpr std::size_t kPacked = 48;

std::size_t packed_size(std::size_t variables) { return (variables + kPacked - 1) / kPacked; }

Vector packed(const std::vector<char>& marks) {
  Vector out;
  for (std::size_t v = 0; v < marks.size(); v += kPacked) {
    std::uint64_t bits = 0;
    for (std::size_t k = v; k < std::min(marks.size(), v + kPacked); ++k) {
      bits |= std::uint64_t{marks[k] != 0} << (k - v);
    }
    out.push_back(static_cast<double>(bits));
  }
  return out;
}

}  // namespace

Vector numbers_of(const LoopMarks& m, const LoopVectors& v) {
  Vector out = {m.certified ? 1.0 : 0.0,
                m.whole ? 1.0 : 0.0,
                m.begun ? 1.0 : 0.0,
                m.exact ? 1.0 : 0.0,
                m.always_exact ? 1.0 : 0.0,
                m.may_go_inside ? 1.0 : 0.0,
                m.closely ? 1.0 : 0.0,
                static_cast<double>(m.steps),
                static_cast<double>(m.rounds),
                static_cast<double>(m.most_steps),
                static_cast<double>(m.set_size),
                static_cast<double>(m.largest_set),
                static_cast<double>(m.poor_looks),
                static_cast<double>(m.idle_rounds),
                m.first_gap,
                m.lowest_objective,
                m.lowest_gap,
                m.last_exact_gap,
                static_cast<double>(m.last_set.size())};
  out.insert(out.end(), m.last_set.begin(), m.last_set.end());
  for (const Vector* const numbers : {&v.b, &v.exact_b, &v.f, &v.exact_f, &v.error}) {
    out.insert(out.end(), numbers->begin(), numbers->end());
  }
  const Vector marks = packed(v.moved_before);
  out.insert(out.end(), marks.begin(), marks.end());
  return out;
}

void read_loop(const Vector& numbers, LoopMarks& m, LoopVectors& v) {
  const std::size_t variables = v.b.size();
  const std::size_t rest = 2 * variables + 2 * v.f.size() + v.error.size() + packed_size(variables);
  const double of_set = numbers.size() < kMarks ? -1 : numbers[kMarks - 1];
  if (!(of_set >= 0) || static_cast<double>(numbers.size()) != static_cast<double>(kMarks + rest) + of_set) {
    fail(ErrorKind::usage, "the work that was interrupted is not that of this fit; begin anew without `resume`");
  }
  auto next = numbers.begin();
  for (bool* const flag : {&m.certified, &m.whole, &m.begun, &m.exact, &m.always_exact, &m.may_go_inside, &m.closely}) {
    *flag = *next++ != 0;
  }
  for (Index* const count :
       {&m.steps, &m.rounds, &m.most_steps, &m.set_size, &m.largest_set, &m.poor_looks, &m.idle_rounds}) {
    *count = static_cast<Index>(*next++);
  }
  for (double* const number : {&m.first_gap, &m.lowest_objective, &m.lowest_gap, &m.last_exact_gap}) *number = *next++;
  m.last_set.resize(static_cast<std::size_t>(*next++));
  for (Index& variable : m.last_set) variable = static_cast<Index>(*next++);
  for (Vector* const vector : {&v.b, &v.exact_b, &v.f, &v.exact_f, &v.error}) {
    std::copy_n(next, vector->size(), vector->begin());
    next += static_cast<std::ptrdiff_t>(vector->size());
  }
  for (std::size_t k = 0; k < variables; k += kPacked) {
    const auto bits = static_cast<std::uint64_t>(*next++);
    for (std::size_t j = k; j < std::min(variables, k + kPacked); ++j) {
      v.moved_before[j] = static_cast<char>((bits >> (j - k)) & 1);
    }
  }
}

}  // namespace mercer::detail
