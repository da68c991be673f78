#include "gram/rounded.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "gram/packed/float_array.hpp"
#include "gram/symmetric_product.hpp"
#include "kernel/all_pairs.hpp"
#include "kernel/features.hpp"

namespace mercer::detail {

namespace {

// A diagonal above this may have numbers beside it that are no floats, or whose products are not.
constexpr double kLargest = 1e30;

class Rounded final : public GramSource {
 public:
  Rounded(Gram inner, double bytes, const Execution& how)
      : inner_(std::move(inner)),
        pairs_(*inner_.kernel(), *inner_.points()),
        tiling_(inner_.size(), how.tile),
        rows_kept_(fitting(bytes)),
        kept_(before(rows_kept_)) {
    const Stage stage("gram");
    const int threads = thread_count(how.threads);
    std::vector<Scratch> scratch(at(threads));
    // The longest rows of tiles first, so that threads end together.
    parallel_for(rows_kept_, threads, how.monitor, "gram", [&](Index piece, int thread) {
      const Index a = rows_kept_ - 1 - piece;
      const Range i = tiling_.block(a);
      for (Index b = 0; b <= a; ++b) {
        const Range j = tiling_.block(b);
        simd::round_to_floats(pairs_.bound().tile(i, j, scratch[at(thread)]), at(i.size() * j.size()),
                              kept_.data() + place(i, j));
      }
    });
  }

  Index size() const override { return inner_.size(); }
  void diagonal(VectorRef out) const override { inner_.source().diagonal(out); }
  void rows(std::span<const Index> which, MatrixRef out, const Execution& how) const override {
    inner_.source().rows(which, out, how);
    for (Index r = 0; r < out.rows(); ++r) {
      for (Index j = 0; j < out.cols(); ++j) out(r, j) = static_cast<float>(out(r, j));
    }
  }

  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    const Stage stage("rows");
    struct Room {
      Scratch scratch;
      std::vector<float> tile;
    };
    std::vector<Room> rooms(at(thread_count(how.threads)));
    const auto tile_at = [&](Range i, Range j, int thread) -> const float* {
      if (i.end <= end_kept()) return kept_.data() + place(i, j);
      Room& room = rooms[at(thread)];
      room.tile.resize(at(i.size() * j.size()));
      simd::round_to_floats(pairs_.bound().tile(i, j, room.scratch), room.tile.size(), room.tile.data());
      return room.tile.data();
    };
    const Index step = columns_at_once(size());
    for (Index c = 0; c < v.cols(); c += step) {
      const Range columns{c, std::min(v.cols(), c + step)};
      symmetric_product(tiling_, v.block({0, size()}, columns), out.block({0, size()}, columns), how, tile_at);
    }
  }

  GramKind kind() const override { return GramKind::approximation; }

 private:
  // Rows of tiles lie one after the other, and in each of them its tiles: the place of the first number.
  Index before(Index a) const {
    Index out = 0;
    for (Index r = 0; r < a; ++r) out += tiling_.block(r).size() * tiling_.block(r).end;
    return out;
  }
  Index place(Range i, Range j) const {
    const Index a = i.begin / tiling_.block(0).size(), full = tiling_.block(0).size();
    return full * full * (a * (a + 1) / 2) + i.size() * j.begin;
  }
  Index end_kept() const { return rows_kept_ > 0 ? tiling_.block(rows_kept_ - 1).end : 0; }
  Index fitting(double bytes) const {
    Index a = 0;
    while (a < tiling_.count() && sizeof(float) * static_cast<double>(before(a + 1)) <= bytes) ++a;
    return a;
  }

  Gram inner_;
  AllPairs pairs_;
  Tiling tiling_;
  Index rows_kept_;  // of tiles
  FloatArray kept_;
};

}  // namespace

double rounded_bytes(Index n) {
  // The triangle, and what the tiles on its border have beyond it.
  return sizeof(float) * 0.5 * static_cast<double>(n) * static_cast<double>(n + Execution{}.tile);
}

bool can_be_rounded(const Gram& K) {
  if (K.kind() != GramKind::kernel || !K.dense().empty() || !K.kernel() || !K.points()) return false;
  if (feature_count(*K.kernel(), *K.points()) > 0) return false;
  const Vector diagonal = K.diagonal();
  return std::all_of(diagonal.begin(), diagonal.end(), [](double d) { return d < kLargest; });
}

Gram rounded(const Gram& K, double bytes, const Execution& how) {
  return Gram(std::make_shared<const Rounded>(K, bytes, how));
}

}  // namespace mercer::detail
