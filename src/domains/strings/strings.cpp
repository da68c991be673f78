#include "domains/strings/strings.hpp"

#include "base/fail.hpp"
#include "base/text.hpp"
#include "domains/strings/row.hpp"
#include "file/blocks.hpp"

namespace mercer {

Points strings(std::vector<std::string> text) { return collection(std::make_shared<Strings>(std::move(text))); }

std::shared_ptr<const Objects> Strings::join(const Selection& own, const Objects& other,
                                             const Selection& others) const {
  std::vector<std::string> all;
  for (Index i = 0; i < own.size; ++i) all.push_back((*this)[own[i]]);
  for (Index i = 0; i < others.size; ++i) all.push_back(static_cast<const Strings&>(other)[others[i]]);
  return std::make_shared<Strings>(std::move(all));
}

std::shared_ptr<const detail::Letters> Strings::letters(detail::Alphabet alphabet, const std::string& who) const {
  const std::string name = detail::alphabet_names()[static_cast<std::size_t>(alphabet)];
  return cached<detail::Letters>("letters of " + name, [&] {
    return detail::letters_of(std::vector<std::string_view>(text_.begin(), text_.end()), alphabet, who);
  });
}

// Of a column that mixes both, a value that is no number.
std::string Strings::describe(const Selection& which) const {
  if (which.size == 0) return "no numbers";
  Index shown = 0;
  while (shown < which.size && parse_number((*this)[which[shown]]).has_value()) ++shown;
  if (shown == which.size) shown = 0;
  const std::string& value = (*this)[which[shown]];
  return fmt::format("text ({} in row {}{})", mercer::quoted(value), shown + 1,
                     looks_like_number(value) ? ": write plain numbers, such as 1234.5" : "");
}

Json Strings::save(const Selection& which, const std::string& prefix, detail::BlockWriter& blocks) const {
  Index bytes = 0;
  for (Index i = 0; i < which.size; ++i) bytes += static_cast<Index>((*this)[which[i]].size());
  blocks.add<std::int64_t>(prefix + ".ends", {which.size}, [this, which](detail::Sink& sink) {
    std::int64_t end = 0;
    for (Index i = 0; i < which.size; ++i) {
      end += static_cast<std::int64_t>((*this)[which[i]].size());
      sink.write(&end, sizeof(end));
    }
  });
  blocks.add<char>(prefix + ".bytes", {bytes}, [this, which](detail::Sink& sink) {
    for (Index i = 0; i < which.size; ++i) sink.write((*this)[which[i]].data(), (*this)[which[i]].size());
  });
  return {{"kind", "strings"}};
}

namespace detail {

Points load_strings(const Json&, const std::string& prefix, const BlockReader& blocks, int) {
  const auto ends = blocks.numbers<std::int64_t>(prefix + ".ends");
  const auto bytes = blocks.numbers<char>(prefix + ".bytes");
  const auto size = static_cast<std::int64_t>(bytes.size());
  std::vector<std::string> all;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    if (end < begin || end > size) fail(ErrorKind::file, "text {} ends at {} of {}", all.size() + 1, end, size);
    all.emplace_back(bytes.data() + begin, static_cast<std::size_t>(end - begin));
    begin = end;
  }
  if (begin != size) fail(ErrorKind::file, "its texts are {} bytes, {} are there", begin, size);
  return strings(std::move(all));
}

}  // namespace detail

}  // namespace mercer
