#include "workflow/table_in_pieces.hpp"

#include <algorithm>
#include <map>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "data/column_types.hpp"
#include "data/columns.hpp"
#include "mercer/tables.hpp"
#include "points/rep.hpp"
#include "points/streamed.hpp"
#include "workflow/table_inputs.hpp"

namespace mercer::workflow {

namespace {

constexpr Index kRows = Index{1} << 16;  // that are read at a time

}  // namespace

TableInPieces::TableInPieces(const FitRequest& request, ReadOptions options, const Points& first,
                             const std::vector<Index>& taken, const std::vector<Index>& words, Index rows)
    : request_(request), taken_(taken), is_words_(at(data::column_count(first))) {
  const data::ColumnList columns(first);
  for (const Index place : words) {
    is_words_[at(place)] = true;
    options.texts.push_back(std::to_string(place + 1));
  }
  for (Index place = 0; place < columns.size(); ++place) {
    if (std::ranges::find(taken, place) != taken.end()) continue;
    inputs_.push_back(place);
    names_.push_back(columns[place].name);
  }
  pieces_ = data::RowPieces::open(request.source, options, {});
  if (!pieces_ || pieces_->rows() != rows) {
    fail(ErrorKind::data, "{}: changed while it was read; let nothing write to it", request.source.path);
  }
}

double TableInPieces::bytes_of(Index place) const {
  constexpr double kOfWord = 48;
  return static_cast<double>(pieces_->rows()) * (is_words_[at(place)] ? kOfWord : sizeof(double));
}

std::vector<Column> TableInPieces::columns(std::span<const Index> which) const {
  std::vector<Column> out(which.size());
  for (Index row = 0; row < pieces_->rows(); row += kRows) {
    const Dataset some = pieces_->read({row, std::min(row + kRows, pieces_->rows())});
    const data::ColumnList columns(some.points);
    for (std::size_t c = 0; c < which.size(); ++c) append(columns[which[c]], out[c]);
  }
  return out;
}

std::shared_ptr<const Recipe> TableInPieces::recipe(const std::vector<Index>& kept, const std::vector<Column>& targets,
                                                    double room, std::vector<std::string>& remarks) const {
  data::TableWishes wishes = request_.table;
  for (const std::string& name : told_texts(request_.source, names_)) wishes.types.emplace(name, "text");
  const bool complete = wishes.missing.empty() && std::ranges::find(is_words_, true) == is_words_.end();
  if (complete) {  // what nobody spoke of stays as it is
    for (const std::string& name : names_) wishes.types.emplace(name, "number");
  }
  const bool all = static_cast<Index>(kept.size()) == pieces_->rows();
  std::vector<Column> held;  // from `first` on
  Index first = 0;
  std::map<std::string, std::string> leaks;
  const auto column = [&](Index c) {
    if (held.empty() || c >= first + std::ssize(held)) {
      held.clear();
      first = c;
      Index end = c;
      for (double bytes = 0; end < std::ssize(inputs_) && (end == c || bytes + bytes_of(inputs_[at(end)]) <= room);) {
        bytes += bytes_of(inputs_[at(end++)]);
      }
      held = columns(std::span(inputs_).subspan(at(first), at(end - first)));
    }
    Column& found = held[at(c - first)];
    Column out = all ? std::move(found) : select(found, kept);
    found = {};
    if (const auto remark = leak_remark(out, targets)) leaks[out.name] = *remark;
    return out;
  };
  Recipe out = data::recipe_by_columns(names_, column, wishes, request_.source.path);
  if (std::holds_alternative<Kernel>(request_.kernel)) data::drop_texts(out);
  for (const ColumnRecipe& one : out.columns) {
    const bool as_it_is = complete && !request_.table.types.contains(one.name) && !is_left_out(one.type);
    if (!as_it_is) remarks.push_back("column " + str(one));
  }
  for (const ColumnRecipe& one : out.columns) {
    if (!is_left_out(one.type) && leaks.contains(one.name)) remarks.push_back(leaks.at(one.name));
  }
  return std::make_shared<const Recipe>(std::move(out));
}

Points TableInPieces::points(const std::shared_ptr<const Recipe>& recipe) const {
  const auto read = [recipe, pieces = pieces_, taken = taken_, path = request_.source.path](Range rows) {
    const Points table = data::without_columns(pieces->read(rows).points, taken);
    return data::apply(*recipe, table, path).points;
  };
  constexpr Index kHead = 256;
  return streamed(pieces_->rows(), read({0, std::min(kHead, pieces_->rows())}), read);
}

}  // namespace mercer::workflow
