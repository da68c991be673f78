// Bags: finite sets of points of any domain, in which a point may come more than once. Elements are kept in the order
// that their content decides, so that whatever is computed of a bag is the same bits however its elements came.
#pragma once

#include "domains/groups.hpp"

namespace mercer {

class Bags final : public Groups {
 public:
  Bags(Points elements, std::vector<Index> offsets);

  Domain domain() const override { return {"bags", Domain::any_dimension, elements().domain().kind}; }

 private:
  std::shared_ptr<const Objects> made_of(Points elements, std::vector<Index> offsets) const override {
    return std::make_shared<Bags>(std::move(elements), std::move(offsets));
  }
};

}  // namespace mercer
