#include "gram/packed/packed_points.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "gram/packed/bit_packing.hpp"
#include "gram/packed/byte_packing.hpp"
#include "gram/packed/float_packing.hpp"

namespace mercer::detail {

namespace {

// Inner products of multiples up to 255 of this many columns stay below 2^24.
constexpr double kLargestMultiple = 255;
constexpr std::size_t kExactColumns = 256;
static_assert(kExactColumns * 255 * 255 < (1U << 24));

// How far a multiple may be from a whole number, relative: by the rounding of doubles, or of numbers that were rounded
// to single precision as the unit was.
constexpr double kExact = 1e-13, kRoundedToSingle = 1.01 * 0x1p-23;

// The unit of which all numbers are whole multiples.
struct Unit {
  double size = 0;  // 0: there is none
  double off = 0;   // by which multiples differ from whole ones at most, relative
  bool negative = false;
  double largest = 0;       // multiple
  double largest_norm = 0;  // squared, of a point, in units
};

// result(rows of numbers) of each batch of points, side by side.
template <class Result, class Body>
std::vector<Result> in_batches(const Points& x, const Execution& how, Body body) {
  constexpr Index kAtOnce = 1024, kWorthThreads = 1 << 20;
  std::vector<Result> out(at((x.size() + kAtOnce - 1) / kAtOnce));
  const int threads = x.size() * x.domain().dimension < kWorthThreads ? 1 : thread_count(how.threads);
  parallel_for(static_cast<Index>(out.size()), threads, how.monitor, "pack", [&](Index b, int) {
    const DenseRows rows = dense_rows(x.slice({b * kAtOnce, std::min((b + 1) * kAtOnce, x.size())}));
    out[at(b)] = body(rows.values);
  });
  return out;
}

constexpr double kSlack = 1 + 2 * kRoundedToSingle;

struct Sizes {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0, lowest = 0;
};
Sizes sizes_of(MatrixView rows) {
  Sizes out;
  for (Index i = 0; i < rows.rows() && out.largest <= kLargestMultiple * out.smallest * kSlack; ++i) {
    for (Index k = 0; k < rows.cols(); ++k) {
      const double number = rows(i, k), size = std::abs(number);
      out.smallest = size != 0 && size < out.smallest ? size : out.smallest;
      out.largest = std::max(out.largest, size);
      out.lowest = std::min(out.lowest, number);
    }
  }
  return out;
}

// The largest squared norm in units, and how far multiples are from whole ones; infinite where that is too far.
struct Multiples {
  double norm = 0, off = 0;
};
Multiples multiples_of(MatrixView rows, double unit) {
  constexpr double kRounds = 0x1.8p52;  // added and taken away again, it leaves a whole number
  Multiples out;
  for (Index i = 0; i < rows.rows(); ++i) {
    double norm = 0, off = 0;
    for (Index k = 0; k < rows.cols(); ++k) {
      const double multiple = rows(i, k) / unit, whole = (multiple + kRounds) - kRounds;
      // What is 0 is exact; what is not, is as large as the unit at least.
      off = std::max(off, std::abs(multiple - whole) / std::max(1.0, std::abs(whole)));
      norm += whole * whole;
    }
    out.off = std::max(out.off, off);
    if (off > kRoundedToSingle) return {norm, std::numeric_limits<double>::infinity()};
    out.norm = std::max(out.norm, norm);
  }
  return out;
}

Unit unit_of(std::span<const Part> parts, const Execution& how) {
  std::vector<const Points*> inputs;
  for (const Part& part : parts) {
    if (!part.form.column_factors.empty()) return {};
    if (inputs.empty() || inputs.back() != &part.form.inputs) inputs.push_back(&part.form.inputs);
  }
  Sizes all;
  for (const Points* x : inputs) {
    for (const Sizes& some : in_batches<Sizes>(*x, how, sizes_of)) {
      all.smallest = std::min(all.smallest, some.smallest);
      all.largest = std::max(all.largest, some.largest);
      all.lowest = std::min(all.lowest, some.lowest);
    }
  }
  if (!(all.largest > 0 && all.largest <= kLargestMultiple * all.smallest * kSlack)) return {};
  // As the largest has it, whose rounding is the smallest part of a unit.
  const double most = std::nearbyint(all.largest / all.smallest), unit = all.largest / most;
  Multiples found;
  for (const Points* x : inputs) {
    const auto some = in_batches<Multiples>(*x, how, [&](MatrixView rows) { return multiples_of(rows, unit); });
    for (const Multiples& one : some) {
      found = {std::max(found.norm, one.norm), std::max(found.off, one.off)};
    }
  }
  if (std::isinf(found.off)) return {};
  return {unit, found.off, all.lowest < 0, most, found.norm};
}

// Some of the points, to choose by.
Matrix sample_of(const Points& x) {
  const Index count = std::min<Index>(1024, x.size());
  std::vector<Index> some(at(count));
  for (Index i = 0; i < count; ++i) some[at(i)] = i * x.size() / count;
  return Matrix(dense_rows(x.select(some)).values);
}

// Any place near the points serves. In each column the number that most have, so that it becomes 0; else the mean.
Vector middle_of(const Matrix& sample) {
  Vector middle;
  for (Index k = 0; k < sample.cols(); ++k) {
    Vector column(at(sample.rows()));
    for (Index i = 0; i < sample.rows(); ++i) column[at(i)] = sample(i, k);
    const auto half = column.begin() + sample.rows() / 2;
    std::nth_element(column.begin(), half, column.end());
    const double median = *half;
    const bool most = 2 * std::count(column.begin(), column.end(), median) > sample.rows();
    middle.push_back(most ? median
                          : std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(column.size()));
  }
  return middle;
}

// Whether it pays to look for columns that are 0 in a block of rows, once those with the same zeros stand together.
bool zeros_together(const Matrix& sample, const Vector& shift) {
  constexpr double kShare = 0.8;
  constexpr Index kWord = 64;
  std::vector<FloatPacking::Pattern> rows(at(sample.rows()));
  for (Index i = 0; i < sample.rows(); ++i) {
    for (Index k = 0; k < sample.cols(); ++k) {
      const std::uint64_t here = sample(i, k) != shift[at(k)] ? 1 : 0;
      rows[at(i)][at(k / kWord)] |= here << (kWord - 1 - k % kWord);
    }
  }
  std::sort(rows.begin(), rows.end());
  Index left = 0, blocks = 0;
  for (std::size_t first = 0; first < rows.size(); first += simd::kFloatGroup, ++blocks) {
    FloatPacking::Pattern any{};
    for (std::size_t i = first; i < std::min(rows.size(), first + simd::kFloatGroup); ++i) {
      for (const std::size_t w : {0u, 1u}) any[w] |= rows[i][w];
    }
    left += std::popcount(any[0]) + std::popcount(any[1]);
  }
  return static_cast<double>(left) < kShare * static_cast<double>(blocks * sample.cols());
}

// The kernel's values for whole numbers from 0 to `largest`: squared distances or inner products.
Vector values_of(const simd::ExactProfile& profile, Index largest) {
  Vector out;
  for (Index s = 0; s <= largest; ++s) {
    const auto number = static_cast<double>(s);
    switch (profile.kind) {
      case simd::FloatProfile::Kind::exponential:
        out.push_back(profile.scale * std::exp(-profile.factor * number));
        break;
      case simd::FloatProfile::Kind::linear: out.push_back(profile.scale * profile.factor * number); break;
      case simd::FloatProfile::Kind::power:
        out.push_back(profile.scale * std::pow(profile.factor * number + profile.shift, profile.degree));
        break;
    }
  }
  return out;
}

// Costs of a value besides those of its columns, in multiplications.
constexpr double kFixedCost = 16;

bool fits_bytes(const Unit& unit, std::size_t columns) {
  return !unit.negative && columns <= simd::kMostByteColumns && simd::byte_rows_available();
}

// Multiples of the unit, as bits or bytes; nothing where that cannot be.
std::unique_ptr<PackedPoints> pack_small(const Unit& unit, std::span<const Part> parts,
                                         const simd::FloatProfile& profile, const simd::ExactProfile& exact,
                                         const Preparation& preparation, const Execution& how) {
  const std::size_t d = preparation.factor.size();
  const auto columns = static_cast<double>(d);
  if (!unit.negative && unit.largest <= 1 && unit.off <= kExact && d <= simd::kMostBitColumns) {
    const Index largest = std::min(static_cast<Index>(d), 2 * static_cast<Index>(unit.largest_norm));
    return std::make_unique<PackedBy<BitPacking>>(
        BitPacking{static_cast<Index>(d), largest, profile, values_of(exact, largest)}, true, columns / 32, parts,
        preparation, how);
  }
  if (!fits_bytes(unit, d)) return nullptr;
  return std::make_unique<PackedBy<BytePacking>>(BytePacking{static_cast<Index>(d), profile, exact, unit.off},
                                                 unit.off <= kExact, kFixedCost + columns / 4, parts, preparation, how);
}

std::unique_ptr<PackedPoints> pack(std::span<const Part> parts, bool floats, const Execution& how) {
  const FloatForm& form = parts.front().form;
  const Index d = form.inputs.domain().dimension;
  Unit unit = unit_of(parts, how);
  // Rounded multiples are worth it as bytes alone.
  if (unit.off > kExact && (!floats || !fits_bytes(unit, at(d)))) unit = {};
  if (unit.size == 0 && !floats) return nullptr;
  Preparation preparation{Vector(at(d)), Vector(at(d), unit.size == 0 ? 1 : 1 / unit.size)};
  simd::FloatProfile profile = form.profile;
  if (unit.size == 0) {
    const Matrix sample = sample_of(form.inputs);
    if (form.shift_free && !is_sparse(form.inputs)) preparation.shift = middle_of(sample);
    if (!form.column_factors.empty()) preparation.factor = form.column_factors;
    profile.mostly_zero =
        !profile.differences && at(d) <= simd::kMostToSkip && zeros_together(sample, preparation.shift);
    return std::make_unique<PackedBy<FloatPacking>>(FloatPacking{d, profile, {}}, false,
                                                    kFixedCost + static_cast<double>(d), parts, preparation, how);
  }
  const simd::ExactProfile exact{.kind = profile.kind,
                                 .factor = form.factor * unit.size * unit.size,
                                 .shift = form.shift,
                                 .degree = profile.degree,
                                 .scale = form.scale,
                                 .exact_columns = kExactColumns};
  profile.factor = static_cast<float>(exact.factor);
  if (auto small = pack_small(unit, parts, profile, exact, preparation, how); small || !floats) return small;
  return std::make_unique<PackedBy<FloatPacking>>(FloatPacking{d, profile, exact}, true,
                                                  kFixedCost + static_cast<double>(d), parts, preparation, how);
}

}  // namespace

double Nearness::of_sum(const Sums& sums, double size) const {
  constexpr double kLargest = 0.05;
  const double own = fixed + by_norm * size, relative = own + by_norm * sums.largest;
  if (!(relative <= kLargest)) return std::numeric_limits<double>::infinity();
  return (own * sums.values + by_norm * sums.by_size) * (1 + 3 * relative) + absolute * sums.weights;
}

std::unique_ptr<PackedPoints> pack_points(std::span<const Part> parts, const Execution& how) {
  return pack(parts, true, how);
}
std::unique_ptr<PackedPoints> pack_whole_numbers(std::span<const Part> parts, const Execution& how) {
  return pack(parts, false, how);
}

}  // namespace mercer::detail
