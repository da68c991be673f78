#include "model/fits_in_order.hpp"

namespace mercer::detail {

struct FitsInOrder::Kept {
  std::shared_ptr<Checkpoints> whole;
  std::vector<Vector> fits = {};
  std::size_t ended = 0;

  Vector numbers() const {
    Vector out;
    for (const Vector& fit : fits) {
      out.push_back(static_cast<double>(fit.size()));
      out.insert(out.end(), fit.begin(), fit.end());
    }
    return out;
  }
};

class FitsInOrder::OfFit final : public Checkpoints {
 public:
  OfFit(std::shared_ptr<Kept> kept, std::size_t place) : kept_(std::move(kept)), place_(place) {}

  Vector last() const override { return kept_->fits[place_]; }
  bool due() const override { return kept_->whole->due(); }
  void keep(const Vector& state) override {
    kept_->fits[place_] = state;
    kept_->whole->keep(kept_->numbers());
  }
  void done(const Vector& state) override {
    kept_->fits[place_] = state;
    kept_->ended = place_ + 1;
    kept_->whole->done(kept_->numbers());
  }

 private:
  std::shared_ptr<Kept> kept_;
  std::size_t place_;
};

FitsInOrder::FitsInOrder(std::shared_ptr<Checkpoints> whole) {
  if (!whole) return;
  kept_ = std::make_shared<Kept>(Kept{.whole = std::move(whole)});
  const Vector last = kept_->whole->last();
  for (std::size_t next = 0; next < last.size();) {
    const auto begin = last.begin() + static_cast<std::ptrdiff_t>(next) + 1;
    const auto size = static_cast<std::size_t>(last[next]);
    kept_->fits.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
    next += 1 + size;
  }
}

std::shared_ptr<Checkpoints> FitsInOrder::next() {
  if (!kept_) return nullptr;
  const std::size_t place = next_++;
  if (kept_->ended < place) return nullptr;
  if (kept_->fits.size() <= place) kept_->fits.resize(place + 1);
  return std::make_shared<OfFit>(kept_, place);
}

}  // namespace mercer::detail
