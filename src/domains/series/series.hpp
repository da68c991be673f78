// Series: rows of numbers one after the other, of any length from 1.
#pragma once

#include "domains/groups.hpp"

namespace mercer {

class Series final : public Groups {
 public:
  Series(Points elements, std::vector<Index> offsets);

  Domain domain() const override { return {"series"}; }

 private:
  std::shared_ptr<const Objects> made_of(Points elements, std::vector<Index> offsets) const override {
    return std::make_shared<Series>(std::move(elements), std::move(offsets));
  }
};

}  // namespace mercer
