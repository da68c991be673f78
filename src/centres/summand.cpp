#include "centres/summand.hpp"

#include <array>

#include "base/dot.hpp"
#include "base/fail.hpp"
#include "centres/pass.hpp"
#include "distributed/packed.hpp"
#include "points/packed_rows.hpp"

namespace mercer::centres {

namespace {

// Rows that came with an errand: one piece.
class Sent final : public Pieces {
 public:
  Sent(Points x, Index first) : x_(std::move(x)), range_{first, first + x_.size()} {}

  Index rows() const override { return x_.size(); }
  Index count() const override { return 1; }
  Range range(Index) const override { return range_; }
  Points read(Index) const override { return x_; }

 private:
  Points x_;
  Range range_;
};

const Summand& summand(std::string_view name) {
  for (const Summand* const one : {&moments, &left_out, &values, &back, &back_and_one, &features, &sketched}) {
    if (one->name == name) return *one;
  }
  fail(ErrorKind::usage, "errand: '{}' is not known here; all processes must have the same version of Mercer", name);
}

MatrixView cut(MatrixView all, Range rows) { return all.empty() ? all : all.block(rows, {0, all.cols()}); }

}  // namespace

Given Given::of(Range some) const {
  Given out{all, {}};
  for (const MatrixView one : rows) out.rows.push_back(cut(one, some));
  return out;
}

distributed::Part run(const Errand& errand, const Points& rows, Index first) {
  const Summand& wanted = summand(errand.name);
  distributed::Unpacking setting(errand.setting);
  Kernel kernel = parse(setting.text());
  const Pass pass(std::move(kernel), unpacked_rows(std::string(setting.text()), rows),
                  std::make_shared<const Sent>(rows, first));
  return pass.sum(wanted, {errand.given, errand.of_rows}, {.threads = 1});
}

void Between::apply(MatrixRef f) const {
  for (Index i = 0; i < f.rows(); ++i) {
    for (Index c = 0; c < plus.cols(); ++c) f(i, c) += plus(0, c);
    const double w = times.empty() ? 1 : times(i, 0);
    if (chances.empty()) {
      for (Index c = 0; c < f.cols() && !times.empty(); ++c) f(i, c) *= w;
      continue;
    }
    const double* const p = chances.row(i);
    const double along = dot(p, f.row(i), f.cols());
    for (Index c = 0; c < f.cols(); ++c) f(i, c) = w * p[c] * (f(i, c) - along);
  }
}

Between Between::of(Range rows) const { return {cut(instead, rows), plus, cut(times, rows), cut(chances, rows)}; }

}  // namespace mercer::centres
