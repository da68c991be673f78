#include "centres/pass.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "distributed/packed.hpp"
#include "kernel/all_pairs.hpp"
#include "kernel/tiling.hpp"
#include "linalg/lapack.hpp"
#include "points/packed_rows.hpp"
#include "points/streamed.hpp"
#include "simd/loops.hpp"

namespace mercer::centres {

namespace {

using detail::Bound;
using detail::Scratch;

// Enough pieces for any number of threads, of so many rows that what a piece begins with (its points prepared, a sum
// set to 0) is nothing beside it.
constexpr Index kPieces = 64, kLeastRows = 1024;
// And few enough for each thread to have those of a piece in memory.
constexpr Index kMostRows = Index{1} << 16;
// Numbers of a strip in cache: half of a second-level cache of a megabyte.
constexpr Index kStripNumbers = Index{1} << 16;
constexpr Index kLeastHeight = 8, kMostHeight = 144;
// Of a tile: wide, so that its rows go straight to where they are wanted.
constexpr Index kTileRows = 24, kTileColumns = 864;

class Slices final : public Pieces {
 public:
  explicit Slices(Points x) : x_(std::move(x)), tiling_(x_.size(), rows_of_a_piece(x_.size())) {}

  Index rows() const override { return x_.size(); }
  Index count() const override { return tiling_.count(); }
  Range range(Index piece) const override { return tiling_.block(piece); }
  Points read(Index piece) const override { return x_.slice(range(piece)); }
  const Points* elsewhere() const override { return is_elsewhere(x_) ? &x_ : nullptr; }

 private:
  Points x_;
  Tiling tiling_;
};

Index height_for(Index asked, Index m) {
  if (asked != kInCache) return asked;
  const Index fits = kStripNumbers / std::max<Index>(1, m) / kLeastHeight * kLeastHeight;
  return std::clamp(fits, kLeastHeight, kMostHeight);
}

// k(x, Z) of some rows.
void fill(const Bound& bound, Range rows, Scratch& scratch, MatrixRef out) {
  const Tiling high(rows.size(), kTileRows), wide(bound.cols(), kTileColumns);
  for (Index r = 0; r < high.count(); ++r) {
    const Range i = high.block(r);
    for (Index c = 0; c < wide.count(); ++c) {
      const Range j = wide.block(c);
      bound.tile({rows.begin + i.begin, rows.begin + i.end}, j, scratch, out.block(i, j));
    }
  }
}

// Calls `done` for pieces in their order, whatever the order in which they are finished.
class InOrder {
 public:
  InOrder(const std::function<void(Index)>& done, Index first) : done_(done), next_(first) {}

  void finished(Index piece) {
    const std::lock_guard lock(mutex_);
    waiting_.insert({piece, true});
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; ++next_) {
      done_(next_);
      first = waiting_.erase(first);
    }
  }

 private:
  const std::function<void(Index)>& done_;
  std::mutex mutex_;
  std::map<Index, bool> waiting_;
  Index next_;
};

}  // namespace

Index rows_of_a_piece(Index rows) {
  const Index share = (rows + kPieces - 1) / kPieces;
  return std::clamp((share + kLeastRows - 1) / kLeastRows * kLeastRows, kLeastRows, kMostRows);
}

std::shared_ptr<const Pieces> pieces_of(const Points& x) { return std::make_shared<const Slices>(x); }

Pass::Pass(Kernel resolved, Points centres, std::shared_ptr<const Pieces> pieces)
    : kernel_(std::move(resolved)), centres_(std::move(centres)), pieces_(std::move(pieces)) {}

// Some rows of a piece, which `bound` has, and the numbers k(x, Z) of them.
struct Pass::Strip {
  const Bound& bound;
  Scratch& scratch;
  int thread;
  Index piece;
  Range in_piece, rows;
  MatrixRef K;
};

Range Pass::rows_of(Range pieces) const {
  if (pieces.size() == 0) return {0, 0};
  return {pieces_->range(pieces.begin).begin, pieces_->range(pieces.end - 1).end};
}

void Pass::visit(Range pieces, Index height, int threads, const std::function<void(const Strip&)>& use,
                 const std::function<void(Index)>& done, const Execution& how) const {
  const Stage stage("rows");
  const Index tall = height_for(height, centres());
  std::vector<Scratch> scratch(at(threads));
  std::vector<Matrix> room(at(threads));
  InOrder in_order(done, pieces.begin);
  parallel_for(pieces.size(), threads, how.monitor, "pass", [&](Index p, int thread) {
    const Index piece = pieces.begin + p;
    const Range all = pieces_->range(piece);
    Bound bound(kernel_, pieces_->read(piece), centres_);
    bound.count_rows_from(all.begin);
    Matrix& strip = room[at(thread)];
    if (strip.rows() == 0) strip = Matrix::uninitialized(tall, centres());
    const Tiling strips(all.size(), tall);
    for (Index s = 0; s < strips.count(); ++s) {
      const Range rows = strips.block(s);
      const MatrixRef K = strip.ref().block({0, rows.size()}, {0, centres()});
      fill(bound, rows, scratch[at(thread)], K);
      use({bound, scratch[at(thread)], thread, piece, rows, {all.begin + rows.begin, all.begin + rows.end}, K});
    }
    in_order.finished(piece);
  });
}

void Pass::strips(Range pieces, Index height, const Use& use, const std::function<void(Index)>& done,
                  const Execution& how) const {
  visit(
      pieces, height, thread_count(how.threads), [&](const Strip& s) { use(s.piece, s.rows, s.K); }, done, how);
}

Vector Pass::gradient(const Weigh& weigh, const std::function<void(Index)>& done, const Execution& how) const {
  const int threads = thread_count(how.threads);
  std::vector<Matrix> room(at(threads));
  std::vector<Vector> tiles(at(threads)), sums(at(pieces().size()), Vector(at(kernel_.params().size())));
  const Tiling wide(centres(), how.tile);
  visit(
      pieces(), kTall, threads,
      [&](const Strip& s) {
        Matrix& weights = room[at(s.thread)];
        if (weights.rows() == 0) weights = Matrix::uninitialized(kTall, centres());
        const MatrixRef W = weights.ref().block({0, s.rows.size()}, {0, centres()});
        weigh(s.piece, s.rows, s.K, W);
        Vector& tile = tiles[at(s.thread)];
        const Tiling high(s.rows.size(), how.tile);
        for (const Tiling::Pair& pair : all_pairs(high, wide)) {
          const auto& [i, j] = pair;
          tile.resize(at(i.size() * j.size()));
          for (Index a = 0; a < i.size(); ++a) {
            std::copy_n(W.row(i.begin + a) + j.begin, j.size(), tile.data() + a * j.size());
          }
          s.bound.pullback({s.in_piece.begin + i.begin, s.in_piece.begin + i.end}, j, tile.data(),
                           sums[at(s.piece)].data(), {}, s.scratch);
        }
      },
      done, how);
  return detail::sum_of_gradients(sums, kernel_);
}

Vector Pass::diagonal_gradient(VectorView w, const Execution& how) const {
  const int threads = thread_count(how.threads);
  std::vector<Scratch> scratch(at(threads));
  std::vector<Vector> sums(at(pieces().size()), Vector(at(kernel_.params().size())));
  parallel_for(pieces().size(), threads, how.monitor, "pass", [&](Index piece, int thread) {
    const Range all = pieces_->range(piece);
    const Points some = pieces_->read(piece);
    Bound bound(kernel_, some, some);
    bound.count_rows_from(all.begin);
    const Tiling blocks(all.size(), kLeastHeight);
    for (Index b = 0; b < blocks.count(); ++b) {
      const Range i = blocks.block(b);
      Matrix W(i.size(), i.size());
      for (Index a = 0; a < i.size(); ++a) W(a, a) = w[at(all.begin + i.begin + a)];
      bound.pullback(i, i, W.data(), sums[at(piece)].data(), {}, scratch[at(thread)]);
    }
  });
  return detail::sum_of_gradients(sums, kernel_);
}

void Pass::slabs(Range pieces, Index height, const std::function<void(Range, MatrixView)>& use,
                 const Execution& how) const {
  const Stage stage("rows");
  const int threads = thread_count(how.threads);
  std::vector<Scratch> scratch(at(threads));
  Matrix room = Matrix::uninitialized(height, centres());
  const Range of_pieces = rows_of(pieces);
  for (Index piece = pieces.begin; piece < pieces.end; ++piece) {
    const Range all = pieces_->range(piece);
    Bound bound(kernel_, pieces_->read(piece), centres_);
    bound.count_rows_from(all.begin);
    const Tiling slabs(all.size(), height);
    for (Index s = 0; s < slabs.count(); ++s) {
      const Range rows = slabs.block(s);
      const MatrixRef K = room.ref().block({0, rows.size()}, {0, centres()});
      const Tiling strips(rows.size(), kLeastHeight);
      parallel_for(strips.count(), threads, {}, "pass", [&](Index t, int thread) {
        const Range some = strips.block(t);
        fill(bound, {rows.begin + some.begin, rows.begin + some.end}, scratch[at(thread)],
             K.block(some, {0, centres()}));
      });
      use({all.begin + rows.begin, all.begin + rows.end}, K);
      how.monitor.report({"pass", static_cast<double>(all.begin + rows.end - of_pieces.begin) /
                                      static_cast<double>(of_pieces.size())});
    }
  }
}

distributed::Part Pass::sum(const Summand& summand, const Given& given, const Execution& how) const {
  using distributed::Part;
  if (elsewhere()) {
    std::vector<Range> blocks;
    for (Index piece = 0; piece < pieces_->count(); ++piece) blocks.push_back(pieces_->range(piece));
    Part out = sum_elsewhere(summand, given, blocks);
    how.monitor.report({"pass", 1});
    return out;
  }
  const Index first = rows_of(pieces()).begin, of_a_piece = pieces().size() == 0 ? 0 : pieces_->range(0).size();
  return distributed::sum(
      "pass", pieces().size(), summand.shapes(given, centres(), of_a_piece),
      [&](Range mine, const std::function<void(Part)>& take) {
        std::vector<Part> parts(at(mine.size()));
        strips(
            mine, summand.height,
            [&](Index piece, Range rows, MatrixRef K) {
              Part& part = parts[at(piece - mine.begin)];
              const Range all = pieces_->range(piece);
              if (part.empty()) {
                for (const auto& [high, wide] : summand.shapes(given, centres(), all.size())) {
                  part.emplace_back(high, wide);
                }
              }
              summand.add({K, rows, all.begin, given.of({rows.begin - first, rows.end - first})}, part);
            },
            [&](Index piece) { take(std::exchange(parts[at(piece - mine.begin)], Part())); }, how);
      });
}

Errand Pass::errand(const Summand& summand, const Given& given) const {
  return {.name = std::string(summand.name),
          .setting = distributed::Packing().text(kernel_.str()).text(packed_rows(in_memory(centres_))).bytes(),
          .given = given.all,
          .of_rows = given.rows};
}

distributed::Part Pass::sum_elsewhere(const Summand& summand, const Given& given,
                                      const std::vector<Range>& blocks) const {
  return mercer::sum_elsewhere(*pieces_->elsewhere(), errand(summand, given), blocks);
}

Matrix Pass::rows_elsewhere(const Summand& summand, const Given& given) const {
  return mercer::rows_elsewhere(*pieces_->elsewhere(), errand(summand, given));
}

namespace {

distributed::Shapes shapes_of_back(const Given& given, Index m, Index) { return {{m, given.all[0].cols()}}; }

Between between_of(const Given& given) { return {given.rows[0], given.all[1], given.rows[1], given.rows[2]}; }

void add_back(const Seen& seen, distributed::Part& sums) {
  const MatrixView u = seen.given.all[0];
  const Between between = between_of(seen.given);
  const MatrixRef K = seen.K;
  Matrix f = between.instead.empty() ? Matrix(K.rows(), u.cols()) : Matrix(between.instead);
  if (u.cols() > 1) {
    if (between.instead.empty()) {
      linalg::multiply(1, K, u, 0, f);
      between.apply(f);
    }
    linalg::multiply_left_transposed(1, K, f, 1, sums[0]);
    return;
  }
  Vector only;  // a single column, side by side
  for (Index j = 0; j < u.rows(); ++j) only.push_back(u(j, 0));
  const auto stride = at(K.cols()), rows = at(K.rows());  // rows of a strip follow each other
  if (between.instead.empty()) {
    simd::tile_products(K.data(), stride, rows, stride, only.data(), f.data(), nullptr, nullptr);
    between.apply(f);
  }
  simd::tile_products(K.data(), stride, rows, stride, nullptr, nullptr, f.data(), sums[0].data());
}

distributed::Shapes shapes_of_both(const Given& given, Index m, Index) {
  return {{m, given.all[0].cols()}, {1, given.all[0].cols()}};
}

void add_back_and_one(const Seen& seen, distributed::Part& sums) {
  add_through(seen.K, seen.given.all[0], between_of(seen.given), sums);
}

distributed::Shapes shapes_of_values(const Given& given, Index, Index rows) { return {{rows, given.all[0].cols()}}; }

void add_values(const Seen& seen, distributed::Part& sums) {
  const Range own = {seen.rows.begin - seen.first, seen.rows.end - seen.first};
  linalg::multiply(1, seen.K, seen.given.all[0], 0, sums[0].ref().block(own, {0, sums[0].cols()}));
}

}  // namespace

const Summand back{"back", kInCache, shapes_of_back, add_back};
const Summand back_and_one{"back and one", kInCache, shapes_of_both, add_back_and_one};
const Summand values{"values", kInCache, shapes_of_values, add_values};

void add_through(MatrixView K, MatrixView u, const Between& between, distributed::Part& sums) {
  Matrix g = between.instead.empty() ? Matrix::uninitialized(K.rows(), u.cols()) : Matrix(between.instead);
  if (between.instead.empty()) {
    linalg::multiply(1, K, u, 0, g);
    between.apply(g);
  }
  linalg::multiply_left_transposed(1, K, g, 1, sums[0]);
  for (Index i = 0; i < g.rows(); ++i) {
    for (Index c = 0; c < g.cols(); ++c) sums[1](0, c) += g(i, c);
  }
}

Matrix Pass::back(MatrixView u, const Between& between, const Execution& how) const {
  return std::move(sum(centres::back, between.given(u), how).front());
}

Matrix Pass::values(MatrixView u, const Execution& how) const {
  if (elsewhere()) return rows_elsewhere(centres::values, {{u}, {}});
  Matrix out = Matrix::uninitialized(rows(), u.cols());
  const Range mine = distributed::share(pieces().size());
  distributed::phase("values", [&] {
    strips(
        mine, kInCache,
        [&](Index, Range rows, MatrixRef K) {
          linalg::multiply(1, K, u, 0, out.ref().block(rows, {0, u.cols()}));
        },
        [](Index) {}, how);
  });
  distributed::gather_rows("values", out, rows_of(mine));
  return out;
}

}  // namespace mercer::centres
