#include "domains/graphs/length.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace mercer {

namespace {

// a + b, |a| >= |b|, and a b, as two doubles without any error (Dekker 1971).
Length exact_sum(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}
Length exact_product(double a, double b) {
  const double high = a * b;
  return {high, std::fma(a, b, -high)};
}

// 10^k, exactly up to k = 44, beyond that to 31 digits.
Length power_of_ten(int k) {
  Length out{1, 0};
  for (constexpr int kExact = 22; k > 0; k -= kExact) {
    double factor = 1;
    for (int i = 0; i < std::min(k, kExact); ++i) factor *= 10;
    const Length product = exact_product(out.high, factor);
    out = exact_sum(product.high, product.low + out.low * factor);
  }
  return out;
}

struct Decimal {
  std::uint64_t digits;
  int exponent;  // of ten
};

Decimal shortest_decimal(double x) {
  char text[40];
  const char* const end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific).ptr;
  Decimal out{0, 0};
  const char* at = text;
  for (bool behind_point = false; *at != 'e'; ++at) {
    if (*at == '.') {
      behind_point = true;
      continue;
    }
    out.digits = 10 * out.digits + static_cast<std::uint64_t>(*at - '0');
    out.exponent -= behind_point ? 1 : 0;
  }
  int power = 0;
  ++at;
  std::from_chars(*at == '+' ? at + 1 : at, end, power);
  out.exponent += power;
  return out;
}

}  // namespace

// What the decimal is more than the double, by one step of long division.
Length written_length(double weight) {
  constexpr int kLargest = 280;  // further out the products below would leave the range of doubles
  if (weight == 0) return {};
  const Decimal decimal = shortest_decimal(weight);
  if (std::abs(decimal.exponent) > kLargest) return {weight, 0};
  const Length ten = power_of_ten(std::abs(decimal.exponent));
  const auto high = static_cast<double>(decimal.digits);
  const auto low = static_cast<double>(static_cast<std::int64_t>(decimal.digits - static_cast<std::uint64_t>(high)));
  if (decimal.exponent < 0) {
    const Length back = exact_product(weight, ten.high);
    const double left = ((high - back.high) - back.low) + (low - weight * ten.low);
    return exact_sum(weight, left / ten.high);
  }
  const Length product = exact_product(high, ten.high);
  return exact_sum(weight, ((product.high - weight) + product.low) + (high * ten.low + low * ten.high));
}

Length operator+(const Length& a, const Length& b) {
  const Length sum = a.high >= b.high ? exact_sum(a.high, b.high) : exact_sum(b.high, a.high);
  return exact_sum(sum.high, sum.low + (a.low + b.low));
}

}  // namespace mercer
