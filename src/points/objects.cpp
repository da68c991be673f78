#include "points/objects.hpp"

#include "base/fail.hpp"
#include "base/text.hpp"
#include "file/blocks.hpp"

namespace mercer {

Selection Selection::select(std::span<const Index> which) const {
  auto chosen = std::make_shared<std::vector<Index>>();
  chosen->reserve(which.size());
  for (const Index i : which) chosen->push_back((*this)[i]);
  return {static_cast<Index>(which.size()), std::move(chosen)};
}

std::vector<std::string> Collection::column_names() const {
  return name.empty() ? std::vector<std::string>() : std::vector<std::string>{name};
}

// A table of one column is that column: kernels take it with and without on(name, ...).
Points Collection::columns(const Columns& columns) const {
  if (name.empty()) return Rep::columns(columns);
  positions_of(columns, {{name, {0, 1}}}, 1);
  return Points(std::make_shared<Collection>(store, which, name));
}

Points Collection::select(std::span<const Index> numbers) const {
  return Points(std::make_shared<Collection>(store, which.select(numbers), name));
}

Points Collection::join(const Rep& other) const {
  const auto& others = static_cast<const Collection&>(other);
  auto both = store->join(which, *others.store, others.which);
  const Index size = both->size();
  return Points(std::make_shared<Collection>(std::move(both), Selection{size}, name.empty() ? others.name : name));
}

Points Collection::called(const std::string& column) const {
  return Points(std::make_shared<Collection>(store, which, column.empty() ? name : column));
}

Json Collection::save(const std::string& prefix, detail::BlockWriter& blocks, int) const {
  Json out = store->save(which, prefix, blocks);
  out["name"] = detail::text_json(name);
  return out;
}

std::string Collection::describe() const {
  return fmt::format("{} holds {}", name.empty() ? "a column" : "column " + mercer::quoted(name),
                     store->describe(which));
}

std::optional<Points> elements_of(const Points& x) {
  const auto* rep = dynamic_cast<const Collection*>(&x.rep());
  return rep == nullptr ? std::nullopt : rep->store->elements_of(rep->which);
}

Points with_elements(const Points& x, const Points& elements) {
  const auto& rep = dynamic_cast<const Collection&>(x.rep());
  return Points(
      std::make_shared<Collection>(rep.store->with_elements(rep.which, elements), Selection{x.size()}, rep.name));
}

Points collection(std::shared_ptr<const Objects> store) {
  const Index size = store->size();
  return Points(std::make_shared<Collection>(std::move(store), Selection{size}));
}

void refuse_domain(const Points& x, const std::string& who, const std::string& needs) {
  fail(ErrorKind::domain, "{0} needs {1}; the inputs are {2}; put it on a column of {1}: on(COLUMN, {0})", who, needs,
       x.domain().str());
}

}  // namespace mercer
