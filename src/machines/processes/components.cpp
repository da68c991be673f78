// The posterior of each addend of the kernel. With f = f_1 + f_2 + ... + h'b and k_c the kernel of f_c,
//     E f_c(x)   = k_c(x, X) alpha
//     var f_c(x) = signal (k_c(x, x) - (S k_c,x)' A^-1 (S k_c,x) + r' (H' A^-1 H)^-1 r),   r = -H' A^-1 S k_c,x
//     var h'b    = signal h' (H' A^-1 H)^-1 h
// The means add up to that of f. The variances do not: the data tell the sum better than its parts.
#include <algorithm>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "kernel/build.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/processes/process.hpp"
#include "machines/processes/scale.hpp"
#include "mercer/machines/gp.hpp"

namespace mercer {

namespace {

using detail::Process;

// Points at a time: enough for a triangular solve to run at full speed, with memory of so many columns.
constexpr Index kBlock = 1024;

// k1, k2, ... of k1 + k2 + ...; a number in front of a sum goes to each of them.
std::vector<Kernel> parts_of(const Kernel& k) {
  std::vector<Kernel> out;
  for (const Kernel& addend : detail::addends(k)) {
    if (addend.node().entry->name != "scale") {
      out.push_back(addend);
      continue;
    }
    const detail::Node& inner = *addend.node().children.front();
    const Kernel premise = detail::TrustedCore::theorem(*inner.entry, inner.params, inner.options, inner.children);
    for (const Kernel& part : parts_of(premise)) out.push_back(detail::scale(addend.node().params.front(), part));
  }
  return out;
}

void add_row_squares(double factor, MatrixView a, VectorRef out) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) out[at(i)] += factor * a(i, j) * a(i, j);
  }
}

// One column per output: each has its own signal.
Matrix by_output(const Process& process, const Vector& variance) {
  const Vector& signal = process.posterior.signal;
  Matrix out(static_cast<Index>(variance.size()), static_cast<Index>(signal.size()));
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = signal[at(j)] * std::max(0.0, variance[at(i)]);
  }
  return out;
}

// Of an addend, in units of the signal.
Vector variance_of(const Process& process, const Kernel& k, const Points& x, const Execution& how) {
  Vector out = diagonal(k, x);
  for (Index first = 0; first < x.size(); first += kBlock) {
    const Range block{first, std::min(first + kBlock, x.size())};
    const VectorRef part = VectorRef(out).subspan(at(first), at(block.size()));
    Matrix u = detail::scaled_rows(process, k, x.slice(block), how);
    if (has_trend(process)) {
      const solve::TrendPart& trend = process.factors.trend;
      Matrix r(block.size(), trend.solved.cols());
      linalg::multiply(1, u, trend.solved, 0, r);
      linalg::solve_lower_rows(trend.factor, r);
      add_row_squares(1, r, part);
    }
    process.factors.A->solve_root(u);
    add_row_squares(-1, u, part);
    how.monitor.report({"components", static_cast<double>(block.end) / static_cast<double>(x.size())});
  }
  return out;
}

Component trend_of(const Process& process, const Points& x) {
  const Matrix h = detail::trend_basis(process, x);
  Component out{std::nullopt, Matrix(x.size(), process.parts.f.outputs()), {}};
  linalg::multiply(1, h, detail::trend_coefficients(process), 0, out.mean);
  Matrix unsure = h;
  linalg::solve_lower_rows(process.factors.trend.factor, unsure);
  Vector variance(at(x.size()));
  add_row_squares(1, unsure, variance);
  out.variance = by_output(process, variance);
  return out;
}

}  // namespace

std::vector<Component> components(const Model& gp, const Points& x, const Execution& how) {
  const Threads threads(how.threads);
  const Process process = detail::process_of("components", gp, how);
  const Points inputs = detail::inputs_of(gp, x);
  std::vector<Component> out;
  for (const Kernel& k : parts_of(process.kernel())) {
    out.push_back({k, multiply(k, inputs, process.centres(), gp.expansion().parts().alpha, how),
                   by_output(process, variance_of(process, k, inputs, how))});
  }
  if (has_trend(process)) out.push_back(trend_of(process, inputs));
  return out;
}

}  // namespace mercer
