// Functions of the matrices of a graph as the textbook writes them, dense and in long double.
#pragma once

#include <cmath>
#include <vector>

#include "mercer/graph.hpp"
#include "mercer/matrix.hpp"

namespace mercer::nodes_oracle {

using Square = std::vector<std::vector<long double>>;

inline Square zeros(std::size_t n) { return Square(n, std::vector<long double>(n)); }

inline Square identity(std::size_t n) {
  Square out = zeros(n);
  for (std::size_t i = 0; i < n; ++i) out[i][i] = 1;
  return out;
}

inline Square product(const Square& a, const Square& b) {
  Square out = zeros(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      for (std::size_t j = 0; j < a.size(); ++j) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

inline Square sum(long double a, const Square& x, long double b, const Square& y) {
  Square out = zeros(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) out[i][j] = a * x[i][j] + b * y[i][j];
  }
  return out;
}

inline Square adjacency(const Graph& graph) {
  Square a = zeros(static_cast<std::size_t>(graph.nodes()));
  for (Index i = 0; i < graph.nodes(); ++i) {
    for (std::size_t p = 0; p < graph.neighbours(i).size(); ++p) {
      a[static_cast<std::size_t>(i)][static_cast<std::size_t>(graph.neighbours(i)[p])] = graph.weights(i)[p];
    }
  }
  return a;
}

// D - A, or I - D^(-1/2) A D^(-1/2), which is 0 in the row of a node without edges.
inline Square laplacian(const Graph& graph, bool normalized) {
  Square a = adjacency(graph), out = zeros(a.size());
  std::vector<long double> degree(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) degree[i] += a[i][j];
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (!normalized) {
        out[i][j] = (i == j ? degree[i] : 0) - a[i][j];
      } else if (degree[i] > 0 && degree[j] > 0) {
        out[i][j] = (i == j ? 1 : 0) - a[i][j] / std::sqrt(degree[i] * degree[j]);
      }
    }
  }
  return out;
}

// exp(M) by the Taylor series of M / 2^s, squared s times.
inline Square exponential(const Square& m) {
  long double norm = 0;
  for (const auto& row : m) {
    long double total = 0;
    for (const long double value : row) total += std::abs(value);
    norm = std::max(norm, total);
  }
  int halvings = 0;
  while (norm > 0.25L) {
    norm /= 2;
    ++halvings;
  }
  const Square small = sum(std::pow(0.5L, static_cast<long double>(halvings)), m, 0, m);
  Square out = identity(m.size()), term = identity(m.size());
  for (int k = 1; k < 30; ++k) {
    term = product(term, sum(1 / static_cast<long double>(k), small, 0, small));
    out = sum(1, out, 1, term);
  }
  for (int s = 0; s < halvings; ++s) out = product(out, out);
  return out;
}

// By elimination; M is symmetric and positive definite.
inline Square inverse(Square m) {
  Square out = identity(m.size());
  for (std::size_t k = 0; k < m.size(); ++k) {
    const long double pivot = m[k][k];
    for (std::size_t j = 0; j < m.size(); ++j) {
      m[k][j] /= pivot;
      out[k][j] /= pivot;
    }
    for (std::size_t i = 0; i < m.size(); ++i) {
      if (i == k) continue;
      const long double factor = m[i][k];
      for (std::size_t j = 0; j < m.size(); ++j) {
        m[i][j] -= factor * m[k][j];
        out[i][j] -= factor * out[k][j];
      }
    }
  }
  return out;
}

inline Square power(const Square& m, int exponent) {
  Square out = identity(m.size());
  for (int p = 0; p < exponent; ++p) out = product(out, m);
  return out;
}

}  // namespace mercer::nodes_oracle
