// Texts as points: bytes, whatever they mean.
#pragma once

#include <string>
#include <vector>

#include "domains/strings/letters.hpp"
#include "points/objects.hpp"

namespace mercer {

class Strings final : public Objects {
 public:
  explicit Strings(std::vector<std::string> text) : text_(std::move(text)) {}

  const std::string& operator[](Index i) const { return text_[static_cast<std::size_t>(i)]; }

  Index size() const override { return static_cast<Index>(text_.size()); }
  Domain domain() const override { return {"strings"}; }
  int compare(Index i, Index j) const override { return (*this)[i].compare((*this)[j]); }
  std::shared_ptr<const Objects> join(const Selection& own, const Objects& other,
                                      const Selection& others) const override;
  Json save(const Selection& which, const std::string& prefix, detail::BlockWriter& blocks) const override;
  std::string describe(const Selection& which) const override;

  // All strings as letters, made once for each alphabet. `who` is the kernel that asks, for errors.
  std::shared_ptr<const detail::Letters> letters(detail::Alphabet alphabet, const std::string& who) const;

 private:
  std::vector<std::string> text_;
};

}  // namespace mercer
