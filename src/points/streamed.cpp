#include "points/streamed.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/fingerprint.hpp"
#include "base/json.hpp"
#include "base/once.hpp"
#include "distributed/packed.hpp"
#include "distributed/ranks.hpp"
#include "points/distinct.hpp"
#include "points/join.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

// Rows that are read at a time where some of them are wanted.
constexpr Index kRowsAtOnce = Index{1} << 14;

using Read = std::function<Points(Range)>;
using Select = std::function<Points(std::span<const Index>)>;

// Equal rows have equal prints, dense or sparse, and different ones differ but with a chance of 2^-128 for each pair.
struct Print {
  std::uint64_t first = 0, second = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the zero of a default <=> for a pointer
  friend auto operator<=>(const Print&, const Print&) = default;
};

void add_prints(const Points& x, std::vector<Print>& out) {
  const auto print = [&](const auto& each_entry) {
    Fingerprint first, second;
    second.word(1);
    each_entry([&](Index column, double value) {
      if (value == 0) return;
      for (Fingerprint* const one : {&first, &second}) {
        one->word(static_cast<std::uint64_t>(column));
        one->number(value);
      }
    });
    out.push_back({first.value(), second.value()});
  };
  if (const SparseMatrix* const m = sparse_rows(x)) {
    for (Index i = 0; i < x.size(); ++i) {
      print([&](const auto& add) {
        for (Index k = m->offsets[at(i)]; k < m->offsets[at(i + 1)]; ++k) add(m->columns[at(k)], m->values[at(k)]);
      });
    }
    return;
  }
  const DenseRows rows = dense_rows(x);
  for (Index i = 0; i < x.size(); ++i) {
    print([&](const auto& add) {
      for (Index j = 0; j < rows.values.cols(); ++j) add(j, rows.values(i, j));
    });
  }
}

// All rows that a recipe gives, and which of them are equal.
class Recipe {
 public:
  // `select`: some rows in another way than by reading all between them.
  Recipe(Index rows, Read read, Select select = {}, std::shared_ptr<const Elsewhere> there = {})
      : rows_(rows), read_(std::move(read)), select_(std::move(select)), there_(std::move(there)) {}

  Index rows() const { return rows_; }
  Points read(Range rows) const { return read_(rows); }
  const Select& select() const { return select_; }
  const Elsewhere* there() const { return there_.get(); }

  // Each row after one more step. Who has the rows elsewhere does not know it, unless it leaves their numbers alone.
  std::shared_ptr<const Recipe> through(const std::function<Points(const Points&)>& step, bool same_numbers) const {
    Select some;
    if (select_) some = [select = select_, step](std::span<const Index> rows) { return step(select(rows)); };
    return std::make_shared<const Recipe>(
        rows_, [read = read_, step](Range rows) { return step(read(rows)); }, std::move(some),
        same_numbers ? there_ : nullptr);
  }

  // Takes a pass, once, which is dealt to several processes, and 32 bytes a row; 8 of them stay.
  const std::vector<Index>& first_equal() const {
    once_([&] {
      const std::vector<Print> prints = there_ ? prints_there() : prints_here();
      equal_ = mercer::first_equal(rows_, [&](Index a, Index b) {
        const auto order = prints[at(a)] <=> prints[at(b)];
        return std::is_lt(order) ? -1 : std::is_gt(order) ? 1 : 0;
      });
    });
    return equal_;
  }

  // Blocks of so many rows as are read at a time.
  std::vector<Elsewhere::Block> blocks() const {
    std::vector<Elsewhere::Block> out;
    for (Index first = 0; first < rows_; first += kRowsAtOnce) {
      const Range rows = {first, std::min(rows_, first + kRowsAtOnce)};
      out.push_back({.rows = rows, .there = rows, .picked = {}});
    }
    return out;
  }

 private:
  std::vector<Print> prints_here() const {
    std::vector<Print> prints;
    prints.reserve(at(rows_));
    distributed::each(
        "equal rows", (rows_ + kRowsAtOnce - 1) / kRowsAtOnce,
        [&](Index block) {
          std::vector<Print> some;
          add_prints(read({block * kRowsAtOnce, std::min(rows_, (block + 1) * kRowsAtOnce)}), some);
          return distributed::Packing().all(std::span<const Print>(some)).bytes();
        },
        [&](const std::string& bytes) {
          const std::vector<Print> some = distributed::Unpacking(bytes).all<Print>();
          prints.insert(prints.end(), some.begin(), some.end());
        });
    return prints;
  }

  std::vector<Print> prints_there() const {
    const Matrix numbers = there_->rows({.name = "equal rows"}, blocks());
    std::vector<Print> prints(at(rows_));
    for (Index i = 0; i < rows_; ++i) {
      prints[at(i)] = {std::bit_cast<std::uint64_t>(numbers(i, 0)), std::bit_cast<std::uint64_t>(numbers(i, 1))};
    }
    return prints;
  }

  Index rows_;
  Read read_;
  Select select_;
  std::shared_ptr<const Elsewhere> there_;
  mutable Once once_;
  mutable std::vector<Index> equal_;
};

Points join_all(std::vector<Points> parts) {
  while (parts.size() > 1) {
    std::vector<Points> pairs;
    for (std::size_t p = 0; p < parts.size(); p += 2) {
      pairs.push_back(p + 1 < parts.size() ? join(parts[p], parts[p + 1]) : parts[p]);
    }
    parts = std::move(pairs);
  }
  return parts.front();
}

struct StreamedReals final : Reals {
  StreamedReals(std::shared_ptr<const Recipe> recipe_, std::shared_ptr<const std::vector<Index>> which_, Points head_)
      : Reals(find_reals(head_)->names, find_reals(head_)->groups),
        recipe(std::move(recipe_)),
        which(std::move(which_)),
        head(std::move(head_)) {}

  Index size() const override { return which ? static_cast<Index>(which->size()) : recipe->rows(); }
  Domain domain() const override { return head.domain(); }
  bool is_single() const override { return find_reals(head)->is_single(); }

  Points columns(const Columns& columns) const override {
    return through([columns](const Points& x) { return x.columns(columns); });
  }
  Points renamed(const std::shared_ptr<const Rep>&, std::vector<std::string> new_names,
                 std::vector<NamedColumns> new_groups) const override {
    const auto step = [names = std::move(new_names), groups = std::move(new_groups)](const Points& x) {
      return find_reals(x)->renamed(x.share(), names, groups);
    };
    return through(step, true);
  }

  Points select(std::span<const Index> some) const override {
    const bool increasing = std::adjacent_find(some.begin(), some.end(), std::greater_equal<>()) == some.end();
    std::vector<Index> rows;
    rows.reserve(some.size());
    for (const Index i : some) rows.push_back(row(i));
    const auto count = static_cast<Index>(some.size());
    // Most of many rows stay where they are.
    const bool few = count <= kRowsAtOnce || 4 * count <= size();
    if (count <= kHeld && (few || !increasing)) {
      if (increasing) return gather(rows);
      std::sort(rows.begin(), rows.end());
      rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
      std::vector<Index> places;
      for (const Index i : some) places.push_back(std::lower_bound(rows.begin(), rows.end(), row(i)) - rows.begin());
      return gather(rows).select(places);
    }
    if (!increasing) refuse();
    return only(std::move(rows));
  }
  Points slice(Range range) const override {
    if (!which && range.size() <= kHeld && range.size() > 0) return recipe->read(range);
    std::vector<Index> rows;
    rows.reserve(at(range.size()));
    for (Index i = range.begin; i < range.end; ++i) rows.push_back(row(i));
    return range.size() <= kHeld ? gather(rows) : only(std::move(rows));
  }

  int compare(Index i, Index j) const override {
    const std::vector<Index> both = {std::min(i, j), std::max(i, j)};
    if (i == j) return 0;
    const int order = select(both).rep().compare(0, 1);
    return i < j ? order : -order;
  }
  std::vector<Index> first_equal() const override {
    const std::vector<Index>& all = recipe->first_equal();
    if (!which) return all;
    std::vector<Index> place(all.size(), -1), out;
    out.reserve(which->size());
    for (std::size_t i = 0; i < which->size(); ++i) {
      Index& first = place[at(all[at((*which)[i])])];
      if (first < 0) first = static_cast<Index>(i);
      out.push_back(first);
    }
    return out;
  }

  DenseRows dense(const std::shared_ptr<const Rep>&) const override {
    const Points all = in_memory();
    return find_reals(all)->dense(all.share());
  }
  Json save(const std::string& prefix, detail::BlockWriter& blocks, int level) const override {
    return in_memory().rep().save(prefix, blocks, level);
  }

  Points in_memory() const {
    if (size() > kHeld) refuse();
    return slice({0, size()});
  }

  Points through(const std::function<Points(const Points&)>& step, bool same_numbers = false) const {
    return Points(std::make_shared<StreamedReals>(recipe->through(step, same_numbers), which, step(head)));
  }

  // Where some of these rows are.
  Elsewhere::Block block(Range rows) const {
    if (!which || rows.size() == 0) return {.rows = rows, .there = rows, .picked = {}};
    const Range there = {row(rows.begin), row(rows.end - 1) + 1};
    Elsewhere::Block out{.rows = rows, .there = there, .picked = {}};
    if (there.size() == rows.size()) return out;
    for (Index i = rows.begin; i < rows.end; ++i) out.picked.push_back(row(i) - there.begin);
    return out;
  }

  const std::shared_ptr<const Recipe> recipe;
  const std::shared_ptr<const std::vector<Index>> which;  // of the recipe's rows, increasing; null: all
  const Points head;

 private:
  // Whoever reads rows has looked at them.
  void look_over(const std::function<void(Index, Index, double)>&) const override {}

  Index row(Index i) const { return which ? (*which)[at(i)] : i; }

  Points only(std::vector<Index> rows) const {
    return Points(
        std::make_shared<StreamedReals>(recipe, std::make_shared<const std::vector<Index>>(std::move(rows)), head));
  }

  // Rows of the recipe, which increase.
  Points gather(std::span<const Index> rows) const {
    if (recipe->select() && !rows.empty()) return recipe->select()(rows);
    std::vector<Points> parts;
    for (std::size_t i = 0; i < rows.size();) {
      std::size_t end = i + 1;
      while (end < rows.size() && (rows[end] == rows[end - 1] + 1 || rows[end] - rows[i] < kRowsAtOnce)) ++end;
      const Points all = recipe->read({rows[i], rows[end - 1] + 1});
      std::vector<Index> some;
      for (std::size_t k = i; k < end; ++k) some.push_back(rows[k] - rows[i]);
      parts.push_back(static_cast<Index>(some.size()) == all.size() ? all : all.select(some));
      i = end;
    }
    return parts.empty() ? head.slice({0, 0}) : join_all(std::move(parts));
  }

  [[noreturn]] void refuse() const {
    fail(ErrorKind::usage,
         "{} rows are read in pieces, because all of them at once would take too much memory, and this needs them at "
         "once; give it fewer rows, or more memory",
         size());
  }
};

const StreamedReals* find_streamed(const Points& x) { return dynamic_cast<const StreamedReals*>(&x.rep()); }

}  // namespace

Points streamed(Index rows, const Points& head, Read read, std::shared_ptr<const Elsewhere> elsewhere) {
  Select select;
  if (elsewhere) select = [elsewhere](std::span<const Index> some) { return elsewhere->select(some); };
  auto recipe = std::make_shared<const Recipe>(rows, std::move(read), std::move(select), std::move(elsewhere));
  return Points(std::make_shared<StreamedReals>(std::move(recipe), nullptr, head));
}

bool is_streamed(const Points& x) { return find_streamed(x) != nullptr; }

Points in_memory(const Points& x) {
  const StreamedReals* const rows = find_streamed(x);
  return rows == nullptr ? x : rows->in_memory();
}

Points head_of(const Points& x) {
  const StreamedReals* const rows = find_streamed(x);
  return rows == nullptr ? x : rows->head;
}

bool is_elsewhere(const Points& x) {
  const StreamedReals* const rows = find_streamed(x);
  return rows != nullptr && rows->recipe->there() != nullptr;
}

std::vector<Matrix> sum_elsewhere(const Points& x, const Errand& errand, const std::vector<Range>& blocks) {
  const StreamedReals& rows = *find_streamed(x);
  std::vector<Elsewhere::Block> there;
  for (const Range block : blocks) there.push_back(rows.block(block));
  return rows.recipe->there()->sum(errand, there);
}

Matrix rows_elsewhere(const Points& x, const Errand& errand) {
  const StreamedReals& rows = *find_streamed(x);
  std::vector<Elsewhere::Block> there;
  for (Index first = 0; first < x.size(); first += kRowsAtOnce) {
    there.push_back(rows.block({first, std::min(x.size(), first + kRowsAtOnce)}));
  }
  return rows.recipe->there()->rows(errand, there);
}

Matrix equal_row_prints(const Points& rows) {
  std::vector<Print> prints;
  add_prints(rows, prints);
  Matrix out(rows.size(), 2);
  for (Index i = 0; i < rows.size(); ++i) {
    out(i, 0) = std::bit_cast<double>(prints[at(i)].first);
    out(i, 1) = std::bit_cast<double>(prints[at(i)].second);
  }
  return out;
}

Points streamed_through(const Points& x, const std::function<Points(const Points&)>& step) {
  return find_streamed(x)->through(step);
}

}  // namespace mercer
