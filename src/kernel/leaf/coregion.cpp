// Covariances of tasks: a point is the number of its task, and k a matrix B = a a' + diag(v), of one row for each.
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "kernel/leaves.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

namespace {

struct TaskSide final : Side {
  std::shared_ptr<const Side> select(std::span<const Index> which) const override {
    auto out = std::make_shared<TaskSide>();
    out->rows = static_cast<Index>(which.size());
    out->cols = cols;
    for (const Index i : which) out->tasks.push_back(tasks[at(i)]);
    return out;
  }
  std::vector<Index> tasks;  // from 0
};

class CoregionEdge final : public EdgeOn<TaskSide> {
 public:
  CoregionEdge(Vector a, const Vector& v, Index a_at, Index v_at)
      : a_(std::move(a)), B_(std::ssize(a_), std::ssize(a_)), a_at_(a_at), v_at_(v_at) {
    for (Index i = 0; i < B_.rows(); ++i) {
      for (Index j = 0; j < B_.cols(); ++j) B_(i, j) = a_[at(i)] * a_[at(j)] + (i == j ? v[at(i)] : 0);
    }
  }

  bool has_parameters() const override { return true; }

  Sides prepare(const PointsPair& points) const override {
    const auto x = side_of(points.x);
    return {x, points.same() ? x : side_of(points.y)};
  }

 private:
  std::shared_ptr<const TaskSide> side_of(const Points& x) const {
    require_reals(x, "coregion()");
    const DenseRows rows = dense_rows(x);
    if (rows.values.cols() != 1) {
      fail(ErrorKind::domain, "coregion(): takes one column, of numbers of tasks, and there are {}; on(COLUMN, ...)",
           rows.values.cols());
    }
    auto side = std::make_shared<TaskSide>();
    side->rows = rows.values.rows();
    side->cols = rows.values.cols();
    for (Index i = 0; i < side->rows; ++i) {
      const double task = rows.values(i, 0);
      if (task != std::floor(task) || task < 1 || task > static_cast<double>(B_.rows())) {
        fail(ErrorKind::domain,
             "coregion(): tasks are whole numbers from 1 to {}, and row {}, {} is {}; scaled inputs are none: "
             "`scale=none`",
             B_.rows(), i + 1, describe_column(x.column_names(), 0), task);
      }
      side->tasks.push_back(static_cast<Index>(task) - 1);
    }
    return side;
  }

  void pairs(const TaskSide& x, const TaskSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    for (Index a = 0; a < i.size(); ++a) {
      const double* const row = B_.row(x.tasks[at(i.begin + a)]);
      for (Index b = 0; b < j.size(); ++b) out(a, b) = row[y.tasks[at(j.begin + b)]];
    }
  }
  void selves(const TaskSide& side, Range i, double* out) const override {
    for (Index a = i.begin; a < i.end; ++a) *out++ = B_(side.tasks[at(a)], side.tasks[at(a)]);
  }

  // dL/dB of the tile, and from there to a and v. Between tasks there is nothing: no derivative by x.
  void pull_pairs(const TaskSide& x, const TaskSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch&) const override {
    Matrix by_B(B_.rows(), B_.cols());
    for (Index a = 0; a < i.size(); ++a) {
      double* const row = by_B.row(x.tasks[at(i.begin + a)]);
      for (Index b = 0; b < j.size(); ++b) row[y.tasks[at(j.begin + b)]] += v(a, b);
    }
    for (Index p = 0; p < B_.rows(); ++p) {
      for (Index q = 0; q < B_.cols(); ++q) to.parameters[a_at_ + p] += (by_B(p, q) + by_B(q, p)) * a_[at(q)];
      to.parameters[v_at_ + p] += by_B(p, p);
    }
    for (Index a = 0; a < i.size() && !to.gx.empty(); ++a) std::fill_n(to.gx.row(a), to.gx.cols(), 0.0);
    for (Index b = 0; b < j.size() && !to.gy.empty(); ++b) std::fill_n(to.gy.row(b), to.gy.cols(), 0.0);
  }
  void pull_selves(const TaskSide& side, Range i, const double* v, const EdgeGradient& to) const override {
    for (Index a = i.begin; a < i.end; ++a, ++v) {
      const Index task = side.tasks[at(a)];
      to.parameters[a_at_ + task] += *v * 2 * a_[at(task)];
      to.parameters[v_at_ + task] += *v;
    }
  }

  Vector a_;
  Matrix B_;
  Index a_at_, v_at_;  // where they stand among the parameters of the kernel
};

}  // namespace

Value emit_coregion(const Site& site, Emitter& e) {
  const Index a = site.param_at("a"), v = site.param_at("v");
  const auto edge = std::make_shared<CoregionEdge>(site.node.param("a").values, site.node.param("v").values, a, v);
  return {.factors = {e.edge(site.view, edge, fmt::format("coregion{}", a))}};
}

void check_coregion(const Node& node) {
  const std::size_t a = node.param("a").values.size(), v = node.param("v").values.size();
  if (a == v) return;
  fail(ErrorKind::kernel, "coregion(): a has {} numbers and v {}; both have one for each task", a, v);
}

Domain coregion_domain(const Node&) { return {"reals", 1}; }

}  // namespace mercer::detail
