// Fits to rows that are elsewhere have the bits of fits to rows in memory, and bring none of them here but samples.
#include "points/elsewhere.hpp"

#include <gtest/gtest.h>

#include "centres/summand.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "points/streamed.hpp"
#include "support.hpp"

namespace mercer::elsewhere_test {
namespace {

// As another process does it, with nothing but what the errand brings.
class There final : public Elsewhere {
 public:
  explicit There(Points x) : x_(std::move(x)) {}

  Points select(std::span<const Index> rows) const override { return x_.select(rows); }

  std::vector<Matrix> sum(const Errand& errand, const std::vector<Block>& blocks) const override {
    std::vector<Matrix> out;
    for (const Block& block : blocks) {
      std::vector<Matrix> part = answer(errand, block);
      if (out.empty()) {
        out = std::move(part);
        continue;
      }
      for (std::size_t k = 0; k < out.size(); ++k) {
        for (Index i = 0; i < out[k].rows() * out[k].cols(); ++i) out[k].data()[i] += part[k].data()[i];
      }
    }
    return out;
  }

  Matrix rows(const Errand& errand, const std::vector<Block>& blocks) const override {
    Matrix out;
    for (const Block& block : blocks) {
      const std::vector<Matrix> part = answer(errand, block);
      if (out.rows() == 0) out = Matrix(blocks.back().rows.end, part[0].cols());
      std::copy_n(part[0].data(), part[0].rows() * part[0].cols(), out.row(block.rows.begin));
    }
    return out;
  }

 private:
  std::vector<Matrix> answer(Errand errand, const Block& block) const {
    for (MatrixView& one : errand.of_rows) {
      if (!one.empty()) one = one.block(block.rows, {0, one.cols()});
    }
    Points some = x_.slice(block.there);
    if (!block.picked.empty()) some = some.select(block.picked);
    std::vector<Matrix> out;
    if (errand.name == "equal rows") {
      out.push_back(equal_row_prints(some));
    } else if (errand.name == "diagonal") {
      const Vector numbers = diagonal(parse(errand.setting), some);
      out.emplace_back(MatrixView(numbers.data(), some.size(), 1));
    } else {
      out = centres::run(errand, some, block.rows.begin);
    }
    return out;
  }

  Points x_;
};

TEST(Elsewhere, FitsHaveTheBitsOfFitsInMemory) {
  const Index n = 10100;  // more than are looked at for centres
  const Kernel k = parse("rbf(ell=1.3)");
  const Matrix once = test::random_matrix(n, 2, 1);
  Matrix values(n, 2), y(n, 2);
  Labels two{.classes = {"a", "b"}, .of = {}}, three{.classes = {"a", "b", "c"}, .of = {}};
  for (Index i = 0; i < n; ++i) {
    std::copy_n(once.row(i % 7 == 0 ? i / 2 : i), 2, values.row(i));  // some rows are equal
    y(i, 0) = std::sin(values(i, 0)) + 0.1 * static_cast<double>(i % 3);
    y(i, 1) = y(i, 0) * values(i, 1);
    two.of.push_back(y(i, 0) > 0.4 ? 1 : 0);
    three.of.push_back(y(i, 0) > 0.4 ? 1 : y(i, 1) > 0 ? 2 : 0);
  }
  Vector weights;
  for (Index i = 0; i < n; ++i) weights.push_back(static_cast<double>(i % 4));
  const Points here = rows(values);
  const auto read = [&](Range some) {
    if (some.size() > 1) ADD_FAILURE() << "rows " << some.begin << " to " << some.end << " are brought here";
    return here.slice(some);
  };
  const Points there = streamed(n, here.slice({0, 10}), read, std::make_shared<const There>(here));
  ASSERT_TRUE(is_elsewhere(there));
  const std::vector<std::pair<std::string, Settings>> fits = {
      {"ridge", {{"ridge", "0.1"}, {"solver", "normal"}, {"loo", "true"}}},
      {"ridge", {{"ridge", "0.1"}, {"solver", "falkon"}}},
      {"ridge", {{"ridge", "auto"}}},
      {"ridge_classifier", {{"ridge", "0.1"}}},
      {"logistic", {{"lambda", "0.1"}}},
      {"logistic", {{"lambda", "0.1"}, {"no_bias", "true"}}},
      {"svc", {{"C", "1"}}}};
  for (const auto& one : fits) {
    const std::string& name = one.first;
    for (const bool weighted : {false, true}) {
      for (const Labels& labels : {two, three}) {
        if (name == "svc" && weighted) continue;  // of features in memory, which one of these says
        const auto fitted = [&](const Points& x) {
          Training t{.K = lazy(k, x)};
          if (name == "ridge")
            t.y = y;
          else
            t.labels = labels;
          if (weighted) t.weights = weights;
          t.centres = choose_centres(k, x, {.count = 40});
          return fit(name, one.second, t);
        };
        const Model a = fitted(here), b = fitted(there);
        EXPECT_EQ(a.expansion().parts().alpha, b.expansion().parts().alpha) << name;
        EXPECT_EQ(a.expansion().parts().bias, b.expansion().parts().bias) << name;
        EXPECT_EQ(a.report().notes, b.report().notes) << name;
      }
    }
  }
}

TEST(Elsewhere, AnErrandOfAnotherVersionIsOneLine) {
  const Points x = rows(Matrix{{1.0}});
  test::expect_error([&] { centres::run({.name = "moment"}, x, 0); }, "UsageError", {"'moment'", "version"});
}

}  // namespace
}  // namespace mercer::elsewhere_test
