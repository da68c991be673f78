// What is asked of a point set once, and kept.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

namespace mercer {

// Values by a key that names the question and all its arguments. A value is made once, by the first to ask; others who
// ask meanwhile wait. Making one may ask for others. Together they take at most `limit` bytes: beyond that the one that
// was not asked for the longest goes first (who still uses it keeps it alive). Thread-safe.
//
// A value says how large it is by bytes(); a plain number needs not, and a pointer is as large as what it points to.
class Cache {
 public:
  explicit Cache(std::size_t limit = std::size_t{1} << 30) : limit_(limit) {}
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  template <class T, class Make>
  std::shared_ptr<const T> get(const std::string& key, Make make) const {
    return std::static_pointer_cast<const T>(value(key, [&] {
      auto made = std::make_shared<const T>(make());
      const std::size_t bytes = size_of(*made);
      return Value{std::move(made), bytes};
    }));
  }

  std::size_t bytes() const;

 private:
  struct Value {
    std::shared_ptr<const void> value;
    std::size_t bytes = 0;
  };
  struct Slot {
    std::mutex making;
    Value made;
    std::uint64_t asked = 0;
  };

  template <class T>
  static std::size_t size_of(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      return sizeof(T);
    } else if constexpr (requires { value->bytes(); }) {
      return value->bytes();
    } else {
      return value.bytes();
    }
  }
  std::shared_ptr<const void> value(const std::string& key, const std::function<Value()>& make) const;
  void drop_oldest() const;

  std::size_t limit_;
  mutable std::mutex mutex_;  // of what follows; never held while something is made
  mutable std::map<std::string, std::shared_ptr<Slot>> slots_;
  mutable std::size_t bytes_ = 0;
  mutable std::uint64_t clock_ = 0;
};

}  // namespace mercer
