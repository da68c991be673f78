#include "kernel/maps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/dot.hpp"

namespace mercer::detail {

namespace {

bool always(double) { return true; }
bool positive(double x) { return x > 0; }
bool nonnegative(double x) { return x >= 0; }
bool above_minus_one(double x) { return x > -1; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

const ElementMap kMaps[] = {
    {"log", [](double x) { return std::log(x); }, [](double x) { return 1 / x; }, positive, "x > 0"},
    {"log1p", [](double x) { return std::log1p(x); }, [](double x) { return 1 / (1 + x); }, above_minus_one, "x > -1"},
    {"exp", [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }, always, ""},
    {"sqrt", [](double x) { return std::sqrt(x); }, [](double x) { return x > 0 ? 0.5 / std::sqrt(x) : 0; },
     nonnegative, "x >= 0"},
    {"square", [](double x) { return x * x; }, [](double x) { return 2 * x; }, always, ""},
    {"cube", [](double x) { return x * x * x; }, [](double x) { return 3 * x * x; }, always, ""},
    {"abs", [](double x) { return std::abs(x); }, [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0); }, always,
     ""},
    {"tanh", [](double x) { return std::tanh(x); }, [](double x) { return 1 - std::tanh(x) * std::tanh(x); }, always,
     ""},
    {"sigmoid", sigmoid, [](double x) { return sigmoid(x) * (1 - sigmoid(x)); }, always, ""},
    {"asinh", [](double x) { return std::asinh(x); }, [](double x) { return 1 / std::sqrt(1 + x * x); }, always, ""},
    {"sin", [](double x) { return std::sin(x); }, [](double x) { return std::cos(x); }, always, ""},
    {"cos", [](double x) { return std::cos(x); }, [](double x) { return -std::sin(x); }, always, ""},
};

double norm(VectorView x) { return std::sqrt(dot(x, x)); }
double total(VectorView x) { return std::accumulate(x.begin(), x.end(), 0.0); }

const Weight kWeights[] = {
    {"norm", norm,
     [](VectorView x, VectorRef g) {
       const double length = norm(x);
       for (std::size_t k = 0; k < g.size(); ++k) g[k] = length > 0 ? x[k] / length : 0;
     }},
    {"sum", total, [](VectorView, VectorRef g) { std::fill(g.begin(), g.end(), 1.0); }},
    {"mean", [](VectorView x) { return total(x) / static_cast<double>(x.size()); },
     [](VectorView, VectorRef g) { std::fill(g.begin(), g.end(), 1.0 / static_cast<double>(g.size())); }},
};

template <class Row>
const Row* find(std::span<const Row> rows, std::string_view name) {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return at == rows.end() ? nullptr : &*at;
}

}  // namespace

std::span<const ElementMap> element_maps() { return kMaps; }
const ElementMap* find_map(std::string_view name) { return find(element_maps(), name); }
std::span<const Weight> weights() { return kWeights; }
const Weight* find_weight(std::string_view name) { return find(weights(), name); }

}  // namespace mercer::detail
