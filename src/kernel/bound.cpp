#include "kernel/bound.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/stages.hpp"
#include "simd/log_of_zero.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

// Element-wise steps run on this many pairs at a time: a few such buffers stay in the first-level cache.
constexpr Index kChunk = 720;

using Source = Program::SlotSpec::Source;

bool is_log_of_zero(double exponent) { return exponent <= simd::kLogOfZero; }

double* buffer(std::vector<std::vector<double>>& buffers, std::size_t which, std::size_t size) {
  if (buffers.size() <= which) buffers.resize(which + 1);
  if (buffers[which].size() < size) buffers[which].resize(size);
  return buffers[which].data();
}

}  // namespace

// A run of the program's element-wise steps over n pairs: a few rows of a tile, or pairs (x_i, x_i).
// Each slot's numbers are wherever values[slot] points.
class Bound::Chunk {
 public:
  Chunk(const Program& program, Scratch& scratch, Index size)
      : values(program.slots.size()),
        adjoints(program.slots.size()),
        program_(program),
        scratch_(scratch),
        size_(at(size)) {
    std::size_t tapes = 0;
    for (const auto& op : program.ops) {
      first_tape_.push_back(tapes);
      tapes += op->tapes();
    }
  }

  double* own(Slot slot) { return buffer(scratch_.slots, at(slot), size_); }
  double* own_adjoint(Slot slot) { return buffer(scratch_.adjoints, at(slot), size_); }

  // The pairs (x_i, x_i) of one end.
  void load_diagonal(const Bound& bound, End end, Range i, Slot until) {
    for (Slot s = 0; s <= until; ++s) {
      const Program::SlotSpec& spec = program_.slots[at(s)];
      if (spec.source == Source::edge) {
        program_.edges[at(spec.index)].edge->diagonal(bound.edges_[at(spec.index)].at(end), i, own(s));
        values[at(s)] = own(s);
      } else if (spec.source != Source::op) {
        values[at(s)] = bound.vertices_[at(spec.index)].at(end).data() + i.begin;
      }
    }
  }

  // Computes every op up to `until`, whose numbers go to `out` if given. `keep` fills the tapes.
  void forward(Index n, Slot until, double* out, bool keep) {
    for (Slot s = 0; s <= until; ++s) {
      if (program_.slots[at(s)].source != Source::op) continue;
      const int index = program_.slots[at(s)].index;
      const Op& op = *program_.ops[at(index)];
      gather(op, index, keep);
      double* to = s == until && out != nullptr ? out : own(s);
      op.forward(at(n), in_.data(), to, keep ? tapes_.data() : nullptr);
      values[at(s)] = to;
    }
  }

  // From adjoints[from] to those of everything below it that has one; adds to `parameters`.
  void backward(Index n, Slot from, double* parameters) {
    for (Slot s = from; s >= 0; --s) {
      if (program_.slots[at(s)].source != Source::op) continue;
      const int index = program_.slots[at(s)].index;
      const Op& op = *program_.ops[at(index)];
      gather(op, index, true);
      out_.clear();
      for (const Slot in : op.inputs()) out_.push_back(adjoints[at(in)]);
      op.backward(at(n), in_.data(), values[at(s)], tapes_.data(), adjoints[at(s)], out_.data(), parameters);
    }
  }

  std::vector<const double*> values;
  std::vector<double*> adjoints;  // null: not wanted

 private:
  void gather(const Op& op, int index, bool keep) {
    in_.clear();
    for (const Slot in : op.inputs()) in_.push_back(values[at(in)]);
    tapes_.clear();
    for (std::size_t t = 0; keep && t < op.tapes(); ++t) {
      tapes_.push_back(buffer(scratch_.tapes, first_tape_[at(index)] + t, size_));
    }
  }

  const Program& program_;
  Scratch& scratch_;
  std::size_t size_;
  std::vector<std::size_t> first_tape_;
  std::vector<const double*> in_;
  std::vector<double*> out_, tapes_;
};

Bound::Bound(const Kernel& kernel, const Points& x, const Points& y, Of of)
    : program_(std::make_shared<const Program>(Emitter::compile(kernel.node(), of))),
      kernel_(kernel),
      same_(x.share() == y.share()),
      rows_(x.size()),
      cols_(y.size()) {
  const Stage stage("prepare");
  for (const Program::ViewSpec& spec : program_->views) {
    if (!spec.step) {
      views_.push_back({x, y});
      view_has_parameters_.push_back(false);
      continue;
    }
    const BoundView& source = views_[at(spec.source)];
    if (!spec.step->chooses_columns()) require_same_names({source.x, source.y});
    const PointsPair mapped = spec.step->apply({source.x, source.y});
    views_.push_back({mapped.x, mapped.y});
    view_has_parameters_.push_back(spec.step->has_parameters() || view_has_parameters_[at(spec.source)]);
  }
  for (const Program::EdgeSpec& spec : program_->edges) {
    const BoundView& view = views_[at(spec.view)];
    require_same_names({view.x, view.y});
    Sides sides = spec.edge->prepare({view.x, view.y});
    edges_.push_back({std::move(sides.x), std::move(sides.y)});
  }
  for (const Program::VertexSpec& spec : program_->vertices) {
    if (spec.vertex) require_same_names({views_[at(spec.view)].x, views_[at(spec.view)].y});
    const auto values = [&](End end, Index count) {
      return std::make_shared<const Vector>(spec.vertex ? spec.vertex->values(views_[at(spec.view)].at(end))
                                                        : of_diagonal(spec, end, count));
    };
    const auto vertex_x = values(End::x, rows_);
    vertices_.push_back({vertex_x, same_ ? vertex_x : values(End::y, cols_)});
  }
}

// k(x,y) is 0 wherever k(x,x) is (Cauchy-Schwarz), so there 0 takes the place of 1/sqrt(0), and of the logarithm of 0
// there is no half to be taken.
Vector Bound::of_diagonal(const Program::VertexSpec& spec, End end, Index count) const {
  Vector out(at(count));
  Scratch scratch;
  Chunk chunk(*program_, scratch, kChunk);
  for (Index begin = 0; begin < count; begin += kChunk) {
    const Range range{begin, std::min(count, begin + kChunk)};
    chunk.load_diagonal(*this, end, range, spec.slot);
    chunk.forward(range.size(), spec.slot, nullptr, false);
    for (Index i = 0; i < range.size(); ++i) {
      const double self = chunk.values[at(spec.slot)][i];
      const bool root = spec.of_diagonal == OfDiagonal::inverse_root;
      if ((root && !(self >= 0)) || !std::isfinite(self)) {
        fail(ErrorKind::numeric, "{}: k(x,x) is {} at row {}; it must be a finite number >= 0",
             root ? "normalize()" : kernel_->str(), self, range.begin + i + 1);
      }
      out[at(range.begin + i)] = root                   ? (self > 0 ? 1 / std::sqrt(self) : 0)
                                 : is_log_of_zero(self) ? self
                                                        : -0.5 * self;
    }
  }
  return out;
}

Bound Bound::select_rows(std::span<const Index> which) const {
  Bound out;
  out.program_ = program_;
  out.kernel_ = kernel_;
  out.same_ = same_;
  for (const Index i : which) out.chosen_.push_back(number_of_row(i));
  out.rows_ = static_cast<Index>(which.size());
  out.cols_ = cols_;
  for (const BoundEdge& edge : edges_) {
    out.edges_.push_back({edge.x->select(which), edge.y});
  }
  for (const BoundVertex& vertex : vertices_) {
    auto picked = std::make_shared<Vector>();
    for (const Index i : which) picked->push_back((*vertex.x)[at(i)]);
    out.vertices_.push_back({std::move(picked), vertex.y});
  }
  return out;
}

Index Bound::number_of_row(Index i) const { return chosen_.empty() ? first_row_ + i : chosen_[at(i)]; }

void Bound::refuse_value(double value, Index i, Index j) const {
  const Index row = number_of_row(i) + 1, other = (same_ && chosen_.empty() ? first_row_ : 0) + j + 1;
  const std::string where = !same_ ? fmt::format("row {} and row {} of the points it is compared with", row, other)
                            : row == other ? fmt::format("row {} with itself", row)
                                           : fmt::format("rows {} and {}", row, other);
  // Between objects a smaller scale may make it larger: series that differ less have more to align.
  const bool numbers = kernel_->domain().kind == "reals" || kernel_->domain().kind == "any";
  const std::string advice = numbers ? "bring the inputs to a smaller scale, or take a kernel that grows less"
                                     : "take normalize() of what grows so, or a kernel that grows less";
  fail(ErrorKind::numeric, "{} is {} at {}, beyond double precision; {}", kernel_->str(), value, where, advice);
}

// A tile's values, while they are in cache.
void Bound::require_finite_values(const double* values, Range i, Range j) const {
  const auto count = at(i.size() * j.size());
  if (!program_->may_overflow || simd::all_finite(values, count)) return;
  const auto bad = std::find_if_not(values, values + count, [](double v) { return std::isfinite(v); }) - values;
  refuse_value(values[bad], i.begin + bad / j.size(), j.begin + bad % j.size());
}

// Every edge's tile, into scratch.edges; those that can be had from another's inner products last.
void Bound::edge_tiles(Range i, Range j, Scratch& scratch) const {
  const auto out = [&](std::size_t e) {
    return MatrixRef(buffer(scratch.edges, e, at(i.size() * j.size())), i.size(), j.size());
  };
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const Program::EdgeSpec& spec = program_->edges[e];
    if (spec.dots < 0) spec.edge->tile(*edges_[e].x, *edges_[e].y, i, j, out(e), scratch);
  }
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const Program::EdgeSpec& spec = program_->edges[e];
    if (spec.dots < 0 || spec.edge->tile_from_dots(*edges_[e].x, *edges_[e].y, i, j, out(at(spec.dots)), out(e)))
      continue;
    spec.edge->tile(*edges_[e].x, *edges_[e].y, i, j, out(e), scratch);
  }
}

const double* Bound::tile(Range i, Range j, Scratch& scratch) const {
  const Index cols = j.size();
  edge_tiles(i, j, scratch);
  const Program::SlotSpec& result = program_->slots[at(program_->result)];
  if (result.source == Source::edge) {
    const double* values = scratch.edges[at(result.index)].data();
    require_finite_values(values, i, j);
    return values;
  }

  if (scratch.tile.size() < at(i.size() * cols)) scratch.tile.resize(at(i.size() * cols));
  const Index step = std::max<Index>(1, kChunk / std::max<Index>(1, cols));
  Chunk chunk(*program_, scratch, step * cols);
  load_columns(chunk, j, step);
  for (Index first = 0; first < i.size(); first += step) {
    const Index count = std::min(step, i.size() - first);
    const Range rows{i.begin + first, i.begin + first + count};
    load_rows(chunk, scratch, rows, first, cols);
    chunk.forward(count * cols, program_->result, scratch.tile.data() + first * cols, false);
    require_finite_values(scratch.tile.data() + first * cols, rows, j);
  }
  return scratch.tile.data();
}

void Bound::tile(Range i, Range j, Scratch& scratch, MatrixRef out) const {
  const Index cols = j.size();
  if (cols < kChunk || program_->slots[at(program_->result)].source == Source::edge) {
    const double* const values = tile(i, j, scratch);
    for (Index r = 0; r < i.size(); ++r) std::copy_n(values + r * cols, cols, out.row(r));
    return;
  }
  edge_tiles(i, j, scratch);
  Chunk chunk(*program_, scratch, cols);
  load_columns(chunk, j, 1);
  for (Index r = 0; r < i.size(); ++r) {
    const Range row{i.begin + r, i.begin + r + 1};
    load_rows(chunk, scratch, row, r, cols);
    chunk.forward(cols, program_->result, out.row(r), false);
    require_finite_values(out.row(r), row, j);
  }
}

void Bound::squared_distances_from(double* values, Index count) const {
  if (program_->fall) simd::fall(program_->fall->scale, program_->fall->rate, at(count), values);
  for (Index i = 0; i < count; ++i) values[i] += 0.0;  // a distance is never -0
}

// Numbers of the tile's columns, repeated for each of the `step` rows of a chunk.
void Bound::load_columns(Chunk& chunk, Range j, Index step) const {
  for (std::size_t s = 0; s < program_->slots.size(); ++s) {
    const Program::SlotSpec& spec = program_->slots[s];
    if (spec.source != Source::vertex_y) continue;
    double* out = chunk.own(static_cast<Slot>(s));
    const double* values = vertices_[at(spec.index)].y->data() + j.begin;
    for (Index r = 0; r < step; ++r) std::copy_n(values, j.size(), out + r * j.size());
    chunk.values[s] = out;
  }
}

// Numbers of the chunk's rows, and of its pairs, which start at row `first` of the tile.
void Bound::load_rows(Chunk& chunk, Scratch& scratch, Range i, Index first, Index cols) const {
  for (std::size_t s = 0; s < program_->slots.size(); ++s) {
    const Program::SlotSpec& spec = program_->slots[s];
    if (spec.source == Source::edge) {
      chunk.values[s] = scratch.edges[at(spec.index)].data() + first * cols;
    } else if (spec.source == Source::vertex_x) {
      double* out = chunk.own(static_cast<Slot>(s));
      for (Index r = 0; r < i.size(); ++r) {
        simd::fill((*vertices_[at(spec.index)].x)[at(i.begin + r)], at(cols), out + r * cols);
      }
      chunk.values[s] = out;
    }
  }
}

void Bound::diagonal(Range i, double* out, Scratch& scratch) const {
  Chunk chunk(*program_, scratch, kChunk);
  for (Index begin = i.begin; begin < i.end; begin += kChunk) {
    const Range range{begin, std::min(i.end, begin + kChunk)};
    chunk.load_diagonal(*this, End::x, range, program_->result);
    chunk.forward(range.size(), program_->result, nullptr, false);
    const double* values = chunk.values[at(program_->result)];
    for (Index a = 0; a < range.size(); ++a) {
      if (!std::isfinite(values[a])) refuse_value(values[a], range.begin + a, range.begin + a);
    }
    std::copy_n(values, range.size(), out + begin - i.begin);
  }
}

// ---- reverse mode ----

struct Bound::Reverse {
  double* parameters;
  MatrixRef input;  // empty unless dL/dx is wanted
  Scratch& scratch;
};

bool Bound::wanted(const Reverse& reverse, View view, End end) const {
  return view_has_parameters_[at(view)] || (end == End::x && !reverse.input.empty());
}

void Bound::pullback(Range i, Range j, const double* w, double* parameters, MatrixRef input_gradient,
                     Scratch& scratch) const {
  const Reverse reverse{parameters, input_gradient, scratch};
  const Index cols = j.size();
  const auto pairs = at(i.size() * cols);
  std::vector<bool> edge_wanted;
  edge_tiles(i, j, scratch);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const Program::EdgeSpec& spec = program_->edges[e];
    edge_wanted.push_back(spec.edge->has_parameters() || wanted(reverse, spec.view, End::x));
    if (edge_wanted[e]) simd::fill(0, pairs, buffer(scratch.edge_adjoints, e, pairs));
  }
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    simd::fill(0, at(i.size()), buffer(scratch.vertex_x, v, at(i.size())));
    simd::fill(0, at(cols), buffer(scratch.vertex_y, v, at(cols)));
  }

  const Index step = std::max<Index>(1, kChunk / std::max<Index>(1, cols));
  Chunk chunk(*program_, scratch, step * cols);
  load_columns(chunk, j, step);
  for (Index first = 0; first < i.size(); first += step) {
    const Index count = std::min(step, i.size() - first);
    const auto n = at(count * cols);
    load_rows(chunk, scratch, {i.begin + first, i.begin + first + count}, first, cols);
    for (std::size_t s = 0; s < program_->slots.size(); ++s) {
      const Program::SlotSpec& spec = program_->slots[s];
      if (spec.source == Source::edge) {
        const auto e = at(spec.index);
        chunk.adjoints[s] = edge_wanted[e] ? scratch.edge_adjoints[e].data() + first * cols : nullptr;
      } else {
        chunk.adjoints[s] = chunk.own_adjoint(static_cast<Slot>(s));
        simd::fill(0, n, chunk.adjoints[s]);
      }
    }
    chunk.forward(count * cols, program_->result, nullptr, true);
    require_finite_values(chunk.values[at(program_->result)], {i.begin + first, i.begin + first + count}, j);
    if (double* seed = chunk.adjoints[at(program_->result)]) simd::add_scaled(1, w + first * cols, n, seed);
    chunk.backward(count * cols, program_->result, parameters);
    for (std::size_t s = 0; s < program_->slots.size(); ++s) {
      const Program::SlotSpec& spec = program_->slots[s];
      if (spec.source != Source::vertex_x && spec.source != Source::vertex_y) continue;
      for (Index r = 0; r < count; ++r) {
        const double* line = chunk.adjoints[s] + r * cols;
        if (spec.source == Source::vertex_x) {
          scratch.vertex_x[at(spec.index)][at(first + r)] += simd::sum(line, at(cols));
        } else {
          simd::add_scaled(1, line, at(cols), scratch.vertex_y[at(spec.index)].data());
        }
      }
    }
  }

  for (std::size_t e = 0; e < edges_.size(); ++e) {
    if (!edge_wanted[e]) continue;
    const MatrixView adjoint(scratch.edge_adjoints[e].data(), i.size(), cols);
    if (pull_entries(reverse, e, i, j, adjoint)) continue;
    const bool on_view = wanted(reverse, program_->edges[e].view, End::x);
    const Index width = on_view ? edges_[e].x->cols : 0;
    scratch.gx.resize(at(i.size() * width));
    scratch.gy.resize(at(cols * width));
    const MatrixRef gx(scratch.gx.data(), i.size(), width), gy(scratch.gy.data(), cols, width);
    program_->edges[e].edge->pullback(*edges_[e].x, *edges_[e].y, i, j, adjoint, {gx, gy, parameters}, scratch);
    if (!on_view) continue;
    if (width == 0) {
      fail(ErrorKind::usage, "{} has no gradient with respect to its inputs", kernel_->str());
    }
    pull_view(reverse, program_->edges[e].view, End::x, i, gx);
    pull_view(reverse, program_->edges[e].view, End::y, j, gy);
  }
  pull_vertices(reverse, End::x, i);
  pull_vertices(reverse, End::y, j);
}

// Sparse rows with a list of length scales: what their parameters need are the derivatives in the entries, and there
// may be a million columns.
bool Bound::pull_entries(const Reverse& reverse, std::size_t edge, Range i, Range j, MatrixView v) const {
  const Program::EdgeSpec& spec = program_->edges[edge];
  const Program::ViewSpec& view = program_->views[at(spec.view)];
  if (!reverse.input.empty() || spec.edge->has_parameters() || !view.step || !view.step->has_parameters() ||
      view_has_parameters_[at(view.source)]) {
    return false;
  }
  Vector gx, gy;
  if (!spec.edge->pull_entries(*edges_[edge].x, *edges_[edge].y, i, j, v, gx, gy)) return false;
  const BoundView& points = views_[at(spec.view)];
  return view.step->pull_entries(points.x, i, gx, reverse.parameters) &&
         view.step->pull_entries(points.y, j, gy, reverse.parameters);
}

// Vertices from the last to the first: a later one (the diagonal of a whole subexpression) may rest on earlier ones.
void Bound::pull_vertices(const Reverse& reverse, End end, Range rows) const {
  Scratch& scratch = reverse.scratch;
  auto& totals = end == End::x ? scratch.vertex_x : scratch.vertex_y;
  for (std::size_t v = vertices_.size(); v-- > 0;) {
    const Program::VertexSpec& spec = program_->vertices[v];
    if (spec.vertex) {
      if (!wanted(reverse, spec.view, end)) continue;
      const Points& points = views_[at(spec.view)].at(end);
      Matrix g(rows.size(), points.domain().dimension);
      spec.vertex->pullback(points, vertices_[v].at(end), rows, totals[v].data(), g);
      pull_view(reverse, spec.view, end, rows, g);
      continue;
    }
    // u = d^-1/2 of the diagonal d of a slot: dL/dd = -u^3/2 dL/du, and of -d/2: -1/2 dL/du; then back through the
    // diagonal.
    Chunk chunk(*program_, scratch, rows.size());
    chunk.load_diagonal(*this, end, rows, spec.slot);
    chunk.forward(rows.size(), spec.slot, nullptr, true);
    for (Slot s = 0; s <= spec.slot; ++s) {
      chunk.adjoints[at(s)] = chunk.own_adjoint(s);
      simd::fill(0, at(rows.size()), chunk.adjoints[at(s)]);
    }
    for (Index i = 0; i < rows.size(); ++i) {
      const double u = vertices_[v].at(end)[at(rows.begin + i)];
      const double slope = spec.of_diagonal == OfDiagonal::inverse_root ? u * u * u : is_log_of_zero(u) ? 0 : 1;
      chunk.adjoints[at(spec.slot)][i] = -0.5 * slope * totals[v][at(i)];
    }
    chunk.backward(rows.size(), spec.slot, reverse.parameters);
    for (Slot s = 0; s <= spec.slot; ++s) {
      const Program::SlotSpec& source = program_->slots[at(s)];
      if (source.source == Source::edge) {
        const Program::EdgeSpec& edge = program_->edges[at(source.index)];
        const bool on_view = wanted(reverse, edge.view, end);
        if (!on_view && !edge.edge->has_parameters()) continue;
        const Side& side = edges_[at(source.index)].at(end);
        Matrix g(rows.size(), on_view ? side.cols : 0);
        edge.edge->diagonal_pullback(side, rows, chunk.adjoints[at(s)], {g, {}, reverse.parameters});
        if (on_view) pull_view(reverse, edge.view, end, rows, g);
      } else if (source.source != Source::op) {
        simd::add_scaled(1, chunk.adjoints[at(s)], at(rows.size()), totals[at(source.index)].data());
      }
    }
  }
}

void Bound::pull_view(const Reverse& reverse, View view, End end, Range rows, MatrixView g) const {
  Matrix held;
  while (view != 0 && wanted(reverse, view, end)) {
    const Program::ViewSpec& spec = program_->views[at(view)];
    const Points& in = views_[at(spec.source)].at(end);
    Matrix g_in = wanted(reverse, spec.source, end) ? Matrix(rows.size(), in.domain().dimension) : Matrix();
    spec.step->pullback(in, views_[at(view)].at(end), rows, g, g_in, reverse.parameters);
    held = std::move(g_in);
    g = held;
    view = spec.source;
  }
  if (view == 0 && end == End::x && !reverse.input.empty()) {
    for (Index i = 0; i < rows.size(); ++i) {
      simd::add_scaled(1, g.row(i), at(g.cols()), reverse.input.row(rows.begin + i));
    }
  }
}

}  // namespace mercer::detail
