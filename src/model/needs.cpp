#include "model/needs.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mercer::detail {

namespace {

// Products, right-hand sides and what the machine keeps of each point, in numbers.
constexpr double kNumbersOfAPoint = 16;

double of_points(Index n) { return sizeof(double) * kNumbersOfAPoint * static_cast<double>(n); }

}  // namespace

Needs by_all_pairs(Index n, double matrices, std::string solver, double cubes) {
  const auto size = static_cast<double>(n);
  return {.form = Form::exact,
          .solver = std::move(solver),
          .size = n,
          .matrices = matrices,
          .pairs = size * (size + 1) / 2,
          .flops = cubes * size * size * size};
}

Needs by_passes(const Extent& extent, std::string solver, double passes) {
  const auto size = static_cast<double>(extent.points);
  return {.form = extent.numbers ? Form::given : Form::lazy,
          .solver = std::move(solver),
          .size = extent.points,
          .beside = {{"vectors", of_points(extent.points) * static_cast<double>(extent.outputs)}},
          .pairs = passes * size * (size + 1) / 2};
}

std::optional<Needs> by_features(const Extent& extent, Index n, Index most, std::string solver) {
  if (extent.features < 1 || extent.features > most) return std::nullopt;
  const auto rows = static_cast<double>(n), columns = static_cast<double>(extent.features);
  return Needs{.form = Form::factor,
               .solver = std::move(solver),
               .size = n,
               // As they come, and weighted or centred.
               .beside = {{"features", 2 * sizeof(double) * rows * columns},
                          {"vectors", of_points(n) * static_cast<double>(extent.outputs)}},
               .copies = 1,  // the loops of kernels see none of them
               .flops = 2 * rows * columns * columns,
               .why = fmt::format("K has {} features, few beside {} points", extent.features, n)};
}

std::string about(double seconds) {
  return seconds < 120 ? fmt::format("{:.0f} s", std::ceil(seconds))
                       : fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

std::string in_bytes(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.1f} GB", 1e-9 * bytes);
  return bytes >= 1e6 ? fmt::format("{:.0f} MB", std::ceil(1e-6 * bytes))
                      : fmt::format("{:.0f} KB", std::ceil(1e-3 * bytes));
}

}  // namespace mercer::detail
