#include "machines/processes/nearest/places.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "points/distinct.hpp"

namespace mercer::detail {

namespace {

Matrix rows_of(const Matrix& m, std::span<const Index> which) {
  Matrix out = Matrix::uninitialized(static_cast<Index>(which.size()), m.cols());
  for (Index i = 0; i < out.rows(); ++i) std::copy_n(m.row(which[at(i)]), m.cols(), out.row(i));
  return out;
}

}  // namespace

ProcessPlaces places_of(const ProcessData& data) {
  const Index n = data.y.rows();
  std::vector<Index> equal_to(at(n));
  std::iota(equal_to.begin(), equal_to.end(), 0);
  if (data.known.empty()) equal_to = first_equal(*data.x);
  std::vector<Index> firsts;
  ProcessPlaces out{.x = *data.x, .known = data.known, .place_of = std::vector<Index>(at(n))};
  Vector weight;
  for (Index i = 0; i < n; ++i) {
    if (equal_to[at(i)] == i) {
      out.place_of[at(i)] = static_cast<Index>(firsts.size());
      firsts.push_back(i);
      weight.push_back(0);
    } else {
      out.place_of[at(i)] = out.place_of[at(equal_to[at(i)])];
    }
    weight[at(out.place_of[at(i)])] += 1 / data.shape[at(i)];
  }
  const auto places = static_cast<Index>(firsts.size());
  out.square.assign(at(data.y.cols()), 0.0);
  out.merged = n - places;
  if (out.merged == 0) {
    out.y = data.y;
    out.H = data.H;
    out.shape = data.shape;
    return out;
  }
  out.x = data.x->select(firsts);
  out.H = rows_of(data.H, firsts);
  out.y = Matrix(places, data.y.cols());
  for (const double w : weight) {
    out.shape.push_back(1 / w);
    out.log_determinant += std::log(w);
  }
  for (Index i = 0; i < n; ++i) {
    const Index p = out.place_of[at(i)];
    out.log_determinant += std::log(data.shape[at(i)]);
    for (Index t = 0; t < out.y.cols(); ++t) {
      out.y(p, t) += (data.y(i, t) - data.y(firsts[at(p)], t)) / (data.shape[at(i)] * weight[at(p)]);
    }
  }
  for (Index p = 0; p < places; ++p) {
    for (Index t = 0; t < out.y.cols(); ++t) out.y(p, t) += data.y(firsts[at(p)], t);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index t = 0; t < out.y.cols(); ++t) {
      const double off = data.y(i, t) - out.y(out.place_of[at(i)], t);
      out.square[at(t)] += off * off / data.shape[at(i)];
    }
  }
  return out;
}

ProcessPlaces reordered(const ProcessPlaces& places, std::span<const Index> order) {
  ProcessPlaces out = places;
  out.x = places.x.select(order);
  out.y = rows_of(places.y, order);
  out.H = rows_of(places.H, order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    out.shape[i] = places.shape[at(order[i])];
    if (!places.known.empty()) out.known[i] = places.known[at(order[i])];
  }
  std::vector<Index> now(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) now[at(order[i])] = static_cast<Index>(i);
  for (Index& p : out.place_of) p = now[at(p)];
  return out;
}

}  // namespace mercer::detail
