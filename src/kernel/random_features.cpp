#include "kernel/random_features.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>
#include <numbers>
#include <optional>

#include "base/aligned.hpp"
#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "kernel/leaves.hpp"
#include "kernel/print.hpp"
#include "kernel/program_parts.hpp"
#include "kernel/tiling.hpp"
#include "linalg/lapack.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

// What the frequencies are drawn by.
struct Draw {
  enum class Of { gaussian, student, cauchy } of;
  double nu;  // of student: half its degrees of freedom
  Index count;
  double seed;
  Index columns;
  friend bool operator==(const Draw&, const Draw&) = default;
};

Draw draw_of(const Node& rule, Index columns) {
  const Node& premise = *rule.children.front();
  const std::string& name = premise.entry->name;
  Draw out{Draw::Of::gaussian, 0, static_cast<Index>(rule.number("count")) / 2, rule.number("seed"), columns};
  if (name == "laplace") out.of = Draw::Of::cauchy;
  if (name == "matern" || name == "exponential") {
    out.of = Draw::Of::student;
    out.nu = name == "matern" ? premise.number("nu") : 0.5;
  }
  return out;
}

// Of shape a and scale 1 (Marsaglia & Tsang 2000). Below 1e-100 it stands for 0, and frequencies for infinity.
double gamma_number(double a, Random& random) {
  if (a < 1) {
    const double boost = std::pow(random.uniform(), 1 / a);
    return std::max(1e-100, gamma_number(a + 1, random) * boost);
  }
  const double d = a - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal(), v = 1 + c * x;
    if (v <= 0) continue;
    const double cube = v * v * v;
    if (std::log(random.uniform()) < 0.5 * x * x + d - d * cube + d * std::log(cube)) return d * cube;
  }
}

// The last row less its parts along those before it, which are orthonormal, and of length 1. Twice, so that rounding
// leaves nothing of them. Gaussian rows treated so, one after the other, are a rotation or reflection drawn uniformly.
void orthonormalise_last(MatrixRef rows) {
  const auto d = at(rows.cols());
  double* const last = rows.row(rows.rows() - 1);
  for (int pass = 0; pass < 2; ++pass) {
    for (Index j = 0; j < rows.rows() - 1; ++j) {
      simd::add_scaled(-simd::dot(last, rows.row(j), d), rows.row(j), d, last);
    }
  }
  const double length = std::sqrt(simd::dot(last, last, d));
  std::for_each_n(last, rows.cols(), [&](double& value) { value /= length; });
}

// Row by row, so that more frequencies begin with those of fewer.
Matrix drawn(const Draw& draw) {
  Random random(static_cast<std::uint64_t>(draw.seed));
  const Index d = draw.columns;
  Matrix W(draw.count, d);
  Vector lengths(at(draw.count), 1.0);
  for (Index i = 0; i < draw.count; ++i) {
    double* const row = W.row(i);
    if (draw.of == Draw::Of::cauchy) {
      std::generate_n(row, d, [&] { return std::tan(std::numbers::pi * (random.uniform() - 0.5)); });
      continue;
    }
    std::generate_n(row, d, [&] { return random.normal(); });
    orthonormalise_last(W.ref().block({i - i % d, i + 1}, {0, d}));
    double square = 0;  // chi^2 of d degrees: the length of a Gaussian vector
    for (Index k = 0; k < d; ++k) square += std::pow(random.normal(), 2);
    // A t of 2 nu degrees is a normal number over sqrt(chi^2 / (2 nu)), and chi^2 twice a gamma number.
    if (draw.of == Draw::Of::student) square *= draw.nu / gamma_number(draw.nu, random);
    lengths[at(i)] = std::sqrt(square);
  }
  for (Index i = 0; i < draw.count; ++i) {
    for (Index k = 0; k < d; ++k) W(i, k) *= lengths[at(i)];
  }
  return W;
}

// W / ell for the premise's ell.
Matrix frequencies(const Node& rule, Index columns) {
  const Vector& ell = rule.children.front()->param("ell").values;
  Matrix W = *random_frequencies(rule, columns);
  for (Index i = 0; i < W.rows(); ++i) {
    for (Index k = 0; k < columns; ++k) W(i, k) /= ell[ell.size() == 1 ? 0 : at(k)];
  }
  return W;
}

constexpr const char* kWho = "random_features()";

// For simd::pair_tile, whose bits depend on the two rows alone; those of a product by BLAS also on where they stand, so
// that equal points would have different features.
AlignedArray in_panels(MatrixView rows) {
  AlignedArray out(simd::packed_size(at(rows.rows()), at(rows.cols())));
  const Vector origin(at(rows.cols()));
  Vector squared_norms(at(rows.rows()));
  simd::pack(rows.data(), at(rows.stride()), origin.data(), at(rows.rows()), at(rows.cols()), out.data(),
             squared_norms.data());
  return out;
}

class FourierStep final : public Step {
 public:
  FourierStep(Node rule, Index param) : rule_(std::move(rule)), param_(param) {}
  bool has_parameters() const override { return true; }

  PointsPair apply(const PointsPair& in) const override {
    require_same_width(in, kWho);
    const Points x = rows(random_features(rule_, in.x));
    return {x, in.same() ? x : rows(random_features(rule_, in.y))};
  }

  // With the angles a = W x / ell: da/dx = W / ell, and ell da/d(ell) = -x da/dx.
  void pullback(const Points& in, const Points& out, Range range, MatrixView g, MatrixRef g_in,
                double* parameters) const override {
    const DenseRows x = dense_rows(in.slice(range)), z = dense_rows(out.slice(range));
    const Vector& ell = rule_.children.front()->param("ell").values;
    const Matrix W = frequencies(rule_, x.values.cols());
    const Index half = W.rows();
    Matrix by_angle = Matrix::uninitialized(g.rows(), half), by_x(g.rows(), W.cols());
    for (Index i = 0; i < g.rows(); ++i) {
      for (Index f = 0; f < half; ++f) {
        by_angle(i, f) = g(i, half + f) * z.values(i, f) - g(i, f) * z.values(i, half + f);
      }
    }
    linalg::multiply(1, by_angle, W, 0, by_x);
    for (Index i = 0; i < g.rows(); ++i) {
      for (Index k = 0; k < W.cols(); ++k) {
        const Index which = ell.size() == 1 ? 0 : k;
        parameters[param_ + which] -= by_x(i, k) * x.values(i, k) / ell[at(which)];
        if (!g_in.empty()) g_in(i, k) += by_x(i, k);
      }
    }
  }

 private:
  Node rule_;
  Index param_;
};

}  // namespace

std::shared_ptr<const Matrix> random_frequencies(const Node& rule, Index columns) {
  struct Kept {
    Draw draw;
    std::shared_ptr<const Matrix> W;
  };
  constexpr std::size_t kMost = 8;
  static std::mutex mutex;
  static std::list<Kept> kept;  // the one asked for last in front
  const Draw draw = draw_of(rule, columns);
  const std::lock_guard lock(mutex);
  const auto known = std::find_if(kept.begin(), kept.end(), [&](const Kept& each) { return each.draw == draw; });
  if (known != kept.end()) {
    kept.splice(kept.begin(), kept, known);
  } else {
    kept.push_front({draw, std::make_shared<const Matrix>(drawn(draw))});
    if (kept.size() > kMost) kept.pop_back();
  }
  return kept.front().W;
}

Matrix random_features(const Node& rule, const Points& x) {
  const DenseRows points = dense_rows(require_reals(x, kWho));
  const Matrix W = frequencies(rule, points.values.cols());
  const Index n = points.values.rows(), half = W.rows();
  const double size = 1 / std::sqrt(static_cast<double>(half));
  Matrix out = Matrix::uninitialized(n, 2 * half);
  const AlignedArray packed_W = in_panels(W);
  const Tiling blocks(n, 2 * static_cast<Index>(simd::kPanel));
  parallel_for(blocks.count(), thread_count(0), {}, "features", [&](Index b, int) {
    const Range some = blocks.block(b);
    const AlignedArray packed = in_panels(points.values.block(some, {0, W.cols()}));
    simd::pair_tile(simd::Pairing::dot, {packed.data(), 0, at(some.size())}, {packed_W.data(), 0, at(half)},
                    at(W.cols()), out.row(some.begin) + half, at(out.cols()));
    for (Index i = some.begin; i < some.end; ++i) {
      double* const row = out.row(i);
      for (Index f = 0; f < half; ++f) {
        const double angle = row[half + f];
        if (!std::isfinite(angle)) {
          fail(ErrorKind::numeric,
               "{}: row {} is too far away for its frequencies in double precision; give a larger ell", kWho, i + 1);
        }
        row[f] = size * std::cos(angle);
        row[half + f] = size * std::sin(angle);
      }
    }
  });
  return out;
}

Value emit_random_features(const Site& site, Emitter& e) {
  const Site premise{*site.node.children.front(), site.offset + own_parameters(site.node), site.view};
  const Index ell = premise.param_at("ell");
  const std::string key = fmt::format("{}@{}", print(site.node), ell);
  return {.factors = {e.dot(e.through(site.view, std::make_shared<FourierStep>(site.node, ell), key), kWho)},
          .bound = 2};
}

void check_random_features(const Node& node) {
  const std::string& of = node.children.front()->entry->name;
  if (of != "rbf" && of != "matern" && of != "exponential" && of != "laplace") {
    fail(ErrorKind::kernel,
         "{}: draws frequencies of rbf, matern, exponential or laplace, and {} was given; sums, multiples and on() "
         "are written around it",
         kWho, print(*node.children.front()));
  }
  if (std::fmod(node.number("count"), 2) == 0) return;
  fail(ErrorKind::kernel, "{}: count = {} is odd; features come in pairs, cos and sin", kWho, node.number("count"));
}

}  // namespace mercer::detail
