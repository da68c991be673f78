#include "chart.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "output.hpp"

namespace mercer::cli {

std::string sparkline(VectorView values) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::string out;
  for (const double v : values) {
    // Differences that are rounding are no picture.
    const double span = *high - *low, size = std::max(std::abs(*high), std::abs(*low));
    out += span <= 1e-6 * size ? kBlocks[3] : kBlocks[std::min(7, static_cast<int>(8 * (v - *low) / span))];
  }
  return out;
}

std::string bar(double share, int width) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(8 * width * std::clamp(share, 0.0, 1.0)));
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += "█";
  return padded(out + kEighths[eighths % 8], static_cast<std::size_t>(width));
}

namespace {

constexpr Index kAcross = 2, kDown = 4;  // dots of a character
constexpr unsigned char kBits[kDown][kAcross] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

std::string braille(unsigned char dots) {
  return {static_cast<char>(0xE2), static_cast<char>(0xA0 | (dots >> 6)), static_cast<char>(0x80 | (dots & 0x3F))};
}

Index place(double value, const Interval& range, Index count) {
  if (!(value >= range.low && value <= range.high)) return -1;
  const double share = (value - range.low) / (range.high - range.low);
  return std::min(count - 1, static_cast<Index>(static_cast<double>(count) * share));
}

}  // namespace

Chart::Chart(Index width, Index height, Interval x, Interval y)
    : width_(width),
      height_(height),
      x_(x),
      y_(y),
      dots_(at(width * height)),
      shaded_(dots_.size()),
      marked_(dots_.size()) {}

Index Chart::column(double x) const { return place(x, x_, kAcross * width_); }

Index Chart::line(double y) const {
  const Index up = place(y, y_, kDown * height_);
  return up < 0 ? -1 : kDown * height_ - 1 - up;
}

void Chart::dot(double x, double y) { fill(x, {y, y}); }

void Chart::fill(double x, Interval y) {
  const Index across = column(x), from = line(std::min(y.high, y_.high)), to = line(std::max(y.low, y_.low));
  if (across < 0 || from < 0 || to < 0) return;
  for (Index down = from; down <= to; ++down) {
    dots_[at(down / kDown * width_ + across / kAcross)] |= kBits[down % kDown][across % kAcross];
  }
}

void Chart::shade(double x, Interval y) {
  const Index across = column(x), from = line(std::min(y.high, y_.high)), to = line(std::max(y.low, y_.low));
  if (across < 0 || from < 0 || to < 0) return;
  for (Index row = from / kDown; row <= to / kDown; ++row) {
    shaded_[at(row * width_ + across / kAcross)] = true;
  }
}

void Chart::mark(double x) {
  const Index across = column(x);
  if (across < 0) return;
  for (Index row = 0; row < height_; ++row) marked_[at(row * width_ + across / kAcross)] = true;
}

std::string Chart::str() const {
  std::string out;
  for (Index row = 0; row < height_; ++row) {
    // A number at the top, in the middle and at the bottom.
    const double share = 1 - (static_cast<double>(row) + 0.5) / static_cast<double>(height_);
    const bool labelled = row == 0 || row == height_ - 1 || row == height_ / 2;
    out += labelled ? fmt::format("{:>8.4g} ┤", y_.low + share * (y_.high - y_.low)) : "         │";
    std::string cells;
    for (Index cell = 0; cell < width_; ++cell) {
      const std::size_t place = at(row * width_ + cell);
      cells += dots_[place] != 0 ? braille(dots_[place]) : marked_[place] ? "│" : shaded_[place] ? "░" : " ";
    }
    out += cells.substr(0, cells.find_last_not_of(' ') + 1) + "\n";
  }
  out += "         └";
  for (Index cell = 0; cell < width_; ++cell) out += "─";
  const std::string left = fmt::format("{:.4g}", x_.low), right = fmt::format("{:.4g}", x_.high);
  const Index gap = width_ - static_cast<Index>(left.size() + right.size());
  return out + "\n" + std::string(10, ' ') + left + std::string(at(std::max<Index>(1, gap)), ' ') + right + "\n";
}

}  // namespace mercer::cli
