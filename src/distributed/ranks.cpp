#include "distributed/ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <span>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/loop.hpp"
#include "base/parallel.hpp"
#include "distributed/packed.hpp"

namespace mercer::distributed {

std::string host() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown computer";
}

struct State {
  Ranks& ranks;
  Index kept = 0;
  int threads = 1;  // the most that a rank has
  bool in_phase = false;
  bool over = false;  // some rank comes to no further vote
  std::int64_t votes = 0;
};

namespace {

thread_local State* here = nullptr;

// Of the process, for those who are asked from any thread.
std::atomic<int> among_several = 0, phases = 0;

struct Fault {
  std::int64_t kind = -1;  // none
  std::string text = {}, where = {};
};

Fault fault_of(const std::exception_ptr& thrown) {
  Fault out{.where = fmt::format("rank {} of {}, on {}", here->ranks.rank(), here->ranks.size(), host())};
  const auto set = [&](ErrorKind kind, std::string text) {
    out.kind = static_cast<std::int64_t>(kind);
    out.text = std::move(text);
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    set(error.kind(), error.message());
  } catch (const std::bad_alloc&) {
    set(ErrorKind::numeric, "out of memory; take fewer rows of the data, fewer centres, or more computers");
  } catch (const std::exception& error) {
    set(ErrorKind::numeric, fmt::format("unexpected: {}; please report this as a bug", error.what()));
  }
  return out;
}

// All say how it went; a fault of any of them is thrown on all.
void vote(std::string_view what, const Fault& own) {
  State& state = *here;
  const std::string place = fmt::format("{} ({})", what, state.votes++);
  const std::vector<std::string> said =
      state.ranks.gather(Packing().text(place).number(own.kind).text(own.text).text(own.where).bytes());
  std::optional<Fault> first;
  std::size_t alike = 0;
  std::string other;
  for (std::size_t r = 0; r < said.size(); ++r) {
    Unpacking from(said[r]);
    const auto at_place = std::string(from.text());
    if (at_place != place && other.empty()) other = fmt::format("rank {} is at {}", r, at_place);
    Fault fault{.kind = from.number(), .text = std::string(from.text()), .where = std::string(from.text())};
    if (fault.kind < 0) continue;
    if (!first) first = fault;
    alike += fault.kind == first->kind && fault.text == first->text ? 1 : 0;
  }
  state.over = state.over || !other.empty();
  if (first) {
    const auto kind = static_cast<ErrorKind>(first->kind);
    if (alike == said.size()) throw Error(kind, first->text);
    throw Error(kind, fmt::format("{} ({})", first->text, first->where));
  }
  if (!other.empty()) {
    fail(ErrorKind::numeric, "the ranks went different ways: {}, rank {} at {}; please report this as a bug", other,
         state.ranks.rank(), place);
  }
}

class Phase {
 public:
  Phase() {
    here->in_phase = true;
    ++phases;
  }
  ~Phase() {
    here->in_phase = false;
    --phases;
  }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
};

Index numbers_of(const Shapes& shapes) {
  Index out = 0;
  for (const auto& [rows, cols] : shapes) out += rows * cols;
  return out;
}

// Calls use(numbers) for the numbers of a part from `range.begin` to `range.end`, all its matrices being one
// row of them.
template <class P, class Use>
void for_numbers(P& part, Range range, const Use& use) {
  Index first = 0;
  for (auto& matrix : part) {
    const Index size = matrix.rows() * matrix.cols(), begin = std::max(range.begin, first),
                end = std::min(range.end, first + size);
    if (begin < end) use(std::span(matrix.data() + (begin - first), at(end - begin)));
    first += size;
  }
}

void add_to(const Part& from, Part& to) {
  for (std::size_t k = 0; k < to.size(); ++k) {
    for (Index i = 0; i < to[k].rows() * to[k].cols(); ++i) to[k].data()[i] += from[k].data()[i];
  }
}

// One of `ranks` parts of 0 ... all - 1, none of which is larger than another by more than 1.
Range cut(Index all, Index ranks, Index rank) { return {all * rank / ranks, all * (rank + 1) / ranks}; }

}  // namespace

Among::Among(Ranks& ranks, Index kept) : before_(here) {
  if (ranks.size() == 1) return;
  here = new State{.ranks = ranks, .kept = kept};
  ++among_several;
  std::int64_t threads = 1;
  try {
    threads = thread_count(0);
  } catch (const Error&) {  // a number of threads that is none is said where threads are wanted
  }
  for (const std::string& own : ranks.gather(Packing().number(threads).bytes())) {
    here->threads = std::max(here->threads, static_cast<int>(Unpacking(own).number()));
  }
}

Among::~Among() {
  if (here == before_) return;
  --among_several;
  delete here;
  here = before_;
}

bool several() { return here != nullptr && !here->in_phase && !in_loop(); }
int ranks() { return several() ? here->ranks.size() : 1; }
bool speaks() { return here == nullptr || here->ranks.rank() == 0; }
bool may_be_stopped() { return among_several == 0 || phases > 0; }

Range share(Index all) {
  if (!several()) return {0, all};
  return cut(all, here->ranks.size(), here->ranks.rank());
}

void require_same(const std::string& what, const std::string& text) {
  if (!several()) return;
  phase(what, [] {});
  const std::vector<std::string> all = here->ranks.gather(Packing().text(text).text(host()).bytes());
  Unpacking of_rank_0(all.front());
  const std::string first(of_rank_0.text());
  for (std::size_t r = 1; r < all.size(); ++r) {
    Unpacking from(all[r]);
    const std::string other(from.text());
    if (other == first) continue;
    fail(ErrorKind::data, "{}: rank {}, on {}, has {}, and rank 0, on {}, {}; they must be the same", what, r,
         from.text(), other, of_rank_0.text(), first);
  }
}

std::string of_first(std::string_view what, const std::function<std::string()>& make) {
  if (!several()) return make();
  std::string own;
  phase(what, [&] {
    if (speaks()) own = make();
  });
  return here->ranks.gather(own).front();
}

void phase(std::string_view what, const std::function<void()>& work) {
  if (!several()) return work();
  Fault fault;
  try {
    const Phase alone;
    work();
  } catch (...) {
    fault = fault_of(std::current_exception());
  }
  vote(what, fault);
}

int together(const std::function<int()>& work) {
  if (!several()) return work();
  int out = 0;
  Fault fault;
  try {
    out = work();
  } catch (...) {
    if (here->over) throw;
    fault = fault_of(std::current_exception());
  }
  vote("the end", fault);
  return out;
}

void each(std::string_view what, Index count, const std::function<std::string(Index)>& make,
          const std::function<void(const std::string&)>& take) {
  if (!several()) {
    for (Index i = 0; i < count; ++i) take(make(i));
    return;
  }
  const Range mine = share(count);
  Packing own;
  phase(what, [&] {
    for (Index i = mine.begin; i < mine.end; ++i) own.text(make(i));
  });
  for (const std::string& all : here->ranks.gather(own.bytes())) {
    for (Unpacking from(all); !from.is_end();) take(std::string(from.text()));
  }
}

Part sum(std::string_view what, Index count, const Shapes& shapes,
         const std::function<void(Range, const std::function<void(Part)>&)>& parts) {
  Part total;
  if (count == 0) {
    for (const auto& [rows, cols] : shapes) total.emplace_back(rows, cols);
    return total;
  }
  if (!several()) {
    parts({0, count}, [&](Part part) {
      if (total.empty()) {
        total = std::move(part);
      } else {
        add_to(part, total);
      }
    });
    return total;
  }
  const Index numbers = numbers_of(shapes), ranks = here->ranks.size();
  const Index window = ranks * std::max<Index>(here->threads, here->kept / numbers);
  const auto slice_of = [&](Index rank) { return cut(numbers, ranks, rank); };
  const Range mine = slice_of(here->ranks.rank());
  Vector added;
  for (Index first = 0; first < count; first += window) {
    const Range own = cut(std::min(count - first, window), ranks, here->ranks.rank());
    std::vector<Part> kept;
    phase(what, [&] {
      if (own.size() > 0)
        parts({first + own.begin, first + own.end}, [&](Part part) { kept.push_back(std::move(part)); });
    });
    std::vector<std::string> to(at(ranks));
    for (Index r = 0; r < ranks; ++r) {
      for (const Part& part : kept) {
        for_numbers(part, slice_of(r), [&](std::span<const double> some) {
          to[at(r)].append(reinterpret_cast<const char*>(some.data()), some.size_bytes());
        });
      }
    }
    kept.clear();
    for (const std::string& from : here->ranks.exchange(to)) {
      const auto bytes = sizeof(double) * at(mine.size());
      for (std::size_t next = 0; next < from.size(); next += bytes) {
        Vector one(at(mine.size()));
        std::memcpy(one.data(), from.data() + next, bytes);
        if (added.empty()) {
          added = std::move(one);
        } else {
          for (std::size_t i = 0; i < added.size(); ++i) added[i] += one[i];
        }
      }
    }
  }
  const std::vector<std::string> slices =
      here->ranks.gather({reinterpret_cast<const char*>(added.data()), sizeof(double) * added.size()});
  for (const auto& [rows, cols] : shapes) total.push_back(Matrix::uninitialized(rows, cols));
  for (Index r = 0; r < ranks; ++r) {
    const char* next = slices[at(r)].data();
    for_numbers(total, slice_of(r), [&](std::span<double> some) {
      std::memcpy(some.data(), next, some.size_bytes());
      next += some.size_bytes();
    });
  }
  return total;
}

void gather_rows(std::string_view what, Matrix& rows, Range own) {
  if (!several()) return;
  phase(what, [] {});
  const auto bytes = [&](Range some) { return sizeof(double) * at(some.size() * rows.cols()); };
  char* next = reinterpret_cast<char*>(rows.data());
  for (const std::string& some : here->ranks.gather({reinterpret_cast<const char*>(rows.row(own.begin)), bytes(own)})) {
    next = std::ranges::copy(some, next).out;
  }
}

}  // namespace mercer::distributed
