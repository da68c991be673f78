// The engine: Gram matrices, their gradients and products, and reading.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "bench.hpp"
#include "kernel/bound.hpp"
#include "kernel/tiling.hpp"
#include "mercer/mercer.hpp"
#include "simd/loops.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

constexpr const char* kComposite =
    "2*rbf(ell=4) + matern(nu=1.5, ell=3)*linear() + periodic(period=3, ell=2)*rbf(ell=5)";

Json gram_case(const Words&) {
  const Points x = rows(random_matrix(8000, 20));
  Matrix K(8000, 8000);
  double time = 1e300;
  for (int r = 0; r < 15; ++r) time = std::min(time, seconds([&] { gram(rbf(4), x, K.ref()); }));
  return {{"ours", time}};
}

// Its peer, dsyrk on all cores, is a call from Python (bench/engine.py): the BLAS linked in here is a serial one.
Json wide_case(const Words&) {
  const Points x = rows(random_matrix(8000, 784));
  Matrix K(8000, 8000);
  double time = 1e300;
  for (int r = 0; r < 5; ++r) time = std::min(time, seconds([&] { gram(rbf(30), x, K.ref()); }));
  return {{"ours", time}};
}

// The same points in single precision, beside double precision.
Json single_case(const Words&) {
  const Matrix X = random_matrix(8000, 784);
  const std::vector<float> floats(X.data(), X.data() + X.rows() * X.cols());
  const Points x = rows(X.view()), narrow = rows(FloatMatrixView(floats.data(), X.rows(), X.cols()));
  std::vector<float> values(at(X.rows() * X.rows()));
  const FloatMatrixRef S(values.data(), X.rows(), X.rows());
  Matrix K(8000, 8000);
  Precision used = Precision::float64;
  const Pair time = best(
      5, [&] { used = gram(rbf(30), narrow, S); }, [&] { gram(rbf(30), x, K.ref()); });
  double error = 0;
  for (std::size_t p = 0; p < values.size(); ++p) {
    error = std::max(error, std::abs(K.data()[p] - static_cast<double>(values[p])));
  }
  return {{"ours", time.ours},
          {"peer", time.peer},
          {"precision", used == Precision::float32 ? "float32" : "float64"},
          {"error", error}};
}

Json composite_case(const Words&) {
  const Points x = rows(random_matrix(8000, 20));
  Matrix K(8000, 8000);
  const Kernel k = parse(kComposite);
  const Pair time = best(
      7, [&] { gram(k, x, K.ref()); }, [&] { gram(rbf(4), x, K.ref()); });
  return {{"ours", time.ours}, {"peer", time.peer}};
}

Json gradient_case(const Words&) {
  const Points x = rows(random_matrix(8000, 20));
  Matrix K(8000, 8000, 0.5);
  const Matrix W = random_matrix(8000, 8000);
  const Kernel k = parse(kComposite);
  gram(k, x, K.ref());
  const double before = peak_megabytes();
  gradient(k, x, W);
  const double after = peak_megabytes();
  const Pair time = best(
      5, [&] { gradient(k, x, W); }, [&] { gram(k, x, K.ref()); });
  return {{"ours", time.ours}, {"peer", time.peer}, {"megabytes", after - before}, {"parameters", k.params().size()}};
}

// K v beside the bare pair loop: all values of K below the diagonal, of the same tiles and dealt to threads in the same
// way, but used for nothing. Also the inner products alone.
Json lazy_case(const Words&) {
  constexpr Index n = 50000;
  const Points x = rows(random_matrix(n, 20));
  const Matrix v = random_matrix(n, 1);
  const double before = peak_megabytes();
  const Gram K = lazy(rbf(4), x);
  const double first = seconds([&] { K.multiply(v); });
  const double megabytes = peak_megabytes() - before;
  const detail::Bound values(rbf(4), x, x), dots(linear(), x, x);
  const std::vector<Tiling::Pair> tiles = Tiling(n, Execution{}.tile).lower_triangle();
  const auto visit = [&](const detail::Bound& bound) {
    const int threads = thread_count(0);
    std::vector<detail::Scratch> scratch(at(threads));
    parallel_for(static_cast<Index>(tiles.size()), threads, {}, "pairs",
                 [&](Index t, int thread) { bound.tile(tiles[at(t)].i, tiles[at(t)].j, scratch[at(thread)]); });
  };
  const Pair time = best(
      3, [&] { K.multiply(v); }, [&] { visit(values); });
  const double inner_products = seconds([&] { visit(dots); });
  return {{"ours", time.ours},
          {"peer", time.peer},
          {"first", first},
          {"inner_products", inner_products},
          {"megabytes", megabytes}};
}

Json csv_case(const Words&) {
  const std::string path = std::filesystem::temp_directory_path() / "mercer_bench.csv";
  write_csv(path, random_matrix(1000000, 10));
  const auto megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  double time = 1e300;
  for (int r = 0; r < 3; ++r) time = std::min(time, seconds([&] { read_data(path); }));
  std::filesystem::remove(path);
  return {{"ours", time}, {"megabytes", megabytes}};
}

}  // namespace

Bench engine_bench() {
  return {"engine",
          "Gram matrices, their gradients and products, and reading",
          {{"gram", "", "rbf, n=8000 d=20", gram_case},
           {"wide", "", "the same with d=784", wide_case},
           {"single", "", "that in single precision, beside double", single_case},
           {"composite", "", "a sum of three terms, beside one rbf", composite_case},
           {"gradient", "", "all gradients of that sum, beside its value", gradient_case},
           {"lazy", "", "K v, n=50,000, beside the bare pair loop", lazy_case},
           {"csv", "", "a million rows of ten columns", csv_case}}};
}

}  // namespace mercer::bench
