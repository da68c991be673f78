// A JSON value: null, true or false, a number, a text, a list, or an object whose members stay in the order they came.
// It is one of our own so that nobody who passes JSON on compiles a library for it: the parser and the printer are
// nlohmann's, which json.cpp alone includes.
//
// Braces make objects where every item is a pair that begins with a text, else lists:
//
//     Json out = {{"name", "rbf"}, {"ells", {1, 2.5}}};
//     out["notes"] = std::vector<std::string>{"learnt"};
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mercer {

// A text that is no JSON, or a value asked for what it is not.
class JsonError : public std::runtime_error {
 public:
  enum class Why { syntax, depth, number, text, kind };
  JsonError(Why why, const std::string& what, std::size_t byte = 0) : std::runtime_error(what), why(why), byte(byte) {}

  Why why;
  std::size_t byte;  // of the text, counted from 1, where its syntax is wrong
};

class Json {
 public:
  class Item;  // of values in braces
  using Items = std::initializer_list<Item>;
  using Members = std::vector<std::pair<std::string, Json>>;

  Json(std::nullptr_t = nullptr) noexcept {}
  template <std::same_as<bool> T>  // and of nothing that converts to it
  Json(T value) noexcept : kind_(Kind::boolean), is_{.boolean = value} {}
  template <std::signed_integral T>
  Json(T value) noexcept : kind_(Kind::whole), is_{.whole = value} {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Json(T value)
  noexcept : kind_(Kind::natural), is_{.natural = value} {}
  Json(double value) noexcept : kind_(Kind::number), is_{.number = value} {}
  Json(std::string text);
  Json(std::string_view text);
  Json(const char* text);
  // A list; of a map with texts as keys an object.
  template <class Range>
  requires(!std::convertible_to<Range, std::string_view>) && requires(const Range& range) {
    range.begin();
    range.end();
  }
  Json(const Range& range) : Json() {
    if constexpr (requires { typename Range::mapped_type; }) {
      become(Kind::object);
      for (const auto& [name, value] : range) (*this)[name] = value;
    } else {
      become(Kind::list);
      for (const auto& value : range) push_back(value);
    }
  }
  Json(Items items);
  static Json array(Items items = {});
  static Json object(Items items = {});

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;
  ~Json();

  // A text is one value, nested at most `deepest` lists and objects deep. Of members of one name the last counts.
  static Json parse(std::string_view text, int deepest = 500);

  // Numbers are printed with the fewest digits that give them back; those that are not finite are null.
  struct Style {
    int indent = -1;     // spaces for each level; -1: all on one line
    bool ascii = false;  // \u for every other character
    bool exact = false;  // refuses texts that are no UTF-8; else what is wrong in them becomes U+FFFD
  };
  std::string dump(Style style) const;
  std::string dump() const { return dump(Style{}); }

  bool is_null() const { return kind_ == Kind::null; }
  bool is_boolean() const { return kind_ == Kind::boolean; }
  bool is_number() const { return kind_ == Kind::whole || kind_ == Kind::natural || kind_ == Kind::number; }
  bool is_string() const { return kind_ == Kind::text; }
  bool is_array() const { return kind_ == Kind::list; }
  bool is_object() const { return kind_ == Kind::object; }

  // What it is, or a JsonError.
  bool boolean() const;
  double number() const;
  const std::string& text() const;
  // Written as a whole number, and within 64 bits.
  std::optional<std::int64_t> whole() const;
  // The same for templates; lists become vectors of T.
  template <class T>
  T get() const {
    if constexpr (std::same_as<T, bool>) {
      return boolean();
    } else if constexpr (std::integral<T>) {
      const std::optional<std::int64_t> exact = whole();
      return exact ? static_cast<T>(*exact) : static_cast<T>(number());
    } else if constexpr (std::floating_point<T>) {
      return static_cast<T>(number());
    } else if constexpr (std::same_as<T, std::string>) {
      return text();
    } else if constexpr (requires { typename T::mapped_type; }) {
      T out;
      for (const auto& [name, value] : items()) out[name] = value.template get<typename T::mapped_type>();
      return out;
    } else {
      T out;
      for (const Json& value : *this) out.push_back(value.get<typename T::value_type>());
      return out;
    }
  }

  // Of a list or an object; null has none, everything else is one.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // Lists. Null becomes one.
  void push_back(Json value);
  Json* begin();
  Json* end();
  const Json* begin() const;
  const Json* end() const;
  void erase(std::size_t i);
  Json& operator[](std::size_t i);
  const Json& operator[](std::size_t i) const;
  const Json& at(std::size_t i) const { return (*this)[i]; }
  const Json& back() const { return (*this)[size() - 1]; }
  Json& back() { return (*this)[size() - 1]; }

  // Objects. Null becomes one; whoever asks a constant one for what it lacks gets a JsonError.
  Json& operator[](std::string_view name);
  const Json& operator[](std::string_view name) const { return at(name); }
  const Json& at(std::string_view name) const;
  Json* find(std::string_view name);  // nullptr: there is none
  const Json* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  bool erase(std::string_view name);  // whether it was there
  void update(const Json& other);     // its members, over those of the same name
  Members& items();
  const Members& items() const;

  // Numbers by their value, objects with their members in the same order.
  friend bool operator==(const Json& a, const Json& b);
  friend std::ostream& operator<<(std::ostream& out, const Json& value);

 private:
  enum class Kind : std::uint8_t { null, boolean, whole, natural, number, text, list, object };
  union Value {
    std::nullptr_t null = nullptr;
    bool boolean;
    std::int64_t whole;
    std::uint64_t natural;
    double number;
    std::string* text;
    std::vector<Json>* list;
    Members* members;
  };
  class Printer;

  Json& become(Kind kind);  // of null an empty one; anything else must be it
  void require(Kind kind) const;

  Kind kind_ = Kind::null;
  Value is_;
};

class Json::Item {
 public:
  Item() = default;
  Item(Items items) : value_(items) {}
  template <class T>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): clang-tidy 14 does not read what follows `requires`
  requires(!std::same_as<std::remove_cvref_t<T>, Item>) && std::convertible_to<T, Json> Item(T&& value)
      : value_(std::forward<T>(value)) {}

 private:
  friend class Json;
  // An item lives as long as its braces and is read once: its value may move on.
  mutable Json value_;
};

}  // namespace mercer
