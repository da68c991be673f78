#include "base/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

namespace mercer {

namespace {

using Theirs = nlohmann::ordered_json;

// Makes a value while their parser reads.
class Reader {
 public:
  explicit Reader(int deepest) : deepest_(deepest) {}
  Json take() { return std::move(out_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Theirs::binary_t&) { return false; }  // not in texts
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool key(std::string& name) {
    member_ = &(*open_.back())[name];
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& error) {
    const bool number = dynamic_cast<const nlohmann::detail::out_of_range*>(&error) != nullptr;
    throw JsonError(number ? JsonError::Why::number : JsonError::Why::syntax, error.what(), byte);
  }

 private:
  // Lists grow, so that places in them hold until the next value only; the open ones do not grow while another is open
  // within them.
  Json& place(Json value) {
    if (open_.empty()) return out_ = std::move(value);
    if (open_.back()->is_object()) return *member_ = std::move(value);
    open_.back()->push_back(std::move(value));
    return open_.back()->back();
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (static_cast<int>(open_.size()) >= deepest_) {
      throw JsonError(JsonError::Why::depth, "nested more than " + std::to_string(deepest_) + " deep");
    }
    open_.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  int deepest_;
  Json out_;
  std::vector<Json*> open_;
  Json* member_ = nullptr;
};

}  // namespace

Json::Json(std::string text) : kind_(Kind::text), is_{.text = new std::string(std::move(text))} {}
Json::Json(std::string_view text) : Json(std::string(text)) {}
Json::Json(const char* text) : Json(std::string(text)) {}

Json::Json(Items items) {
  const bool pairs = std::all_of(items.begin(), items.end(), [](const Item& item) {
    return item.value_.is_array() && item.value_.size() == 2 && item.value_[0].is_string();
  });
  *this = pairs ? object(items) : array(items);
}

Json Json::array(Items items) {
  Json out;
  out.become(Kind::list).is_.list->reserve(items.size());
  for (const Item& item : items) out.push_back(std::move(item.value_));
  return out;
}

Json Json::object(Items items) {
  Json out;
  out.become(Kind::object).is_.members->reserve(items.size());
  for (const Item& item : items) out[item.value_[0].text()] = std::move(item.value_[1]);
  return out;
}

Json::Json(const Json& other) : kind_(other.kind_), is_(other.is_) {
  if (kind_ == Kind::text) is_.text = new std::string(*is_.text);
  if (kind_ == Kind::list) is_.list = new std::vector<Json>(*is_.list);
  if (kind_ == Kind::object) is_.members = new Members(*is_.members);
}

Json::Json(Json&& other) noexcept
    : kind_(std::exchange(other.kind_, Kind::null)), is_(std::exchange(other.is_, Value{})) {}

Json& Json::operator=(Json other) noexcept {
  std::swap(kind_, other.kind_);
  std::swap(is_, other.is_);
  return *this;
}

Json::~Json() {
  if (kind_ == Kind::text) delete is_.text;
  if (kind_ == Kind::list) delete is_.list;
  if (kind_ == Kind::object) delete is_.members;
}

Json& Json::become(Kind kind) {
  if (kind_ != Kind::null) {
    require(kind);
    return *this;
  }
  if (kind == Kind::list) is_.list = new std::vector<Json>;
  if (kind == Kind::object) is_.members = new Members;
  kind_ = kind;
  return *this;
}

void Json::require(Kind kind) const {
  if (kind_ == kind) return;
  const char* const names[] = {"null",     "true or false", "a number", "a number",
                               "a number", "a text",        "a list",   "an object"};
  throw JsonError(JsonError::Why::kind, std::string("JSON has ") + names[static_cast<int>(kind_)] + " where " +
                                            names[static_cast<int>(kind)] + " belongs");
}

Json Json::parse(std::string_view text, int deepest) {
  Reader reader(deepest);
  Theirs::sax_parse(text.begin(), text.end(), &reader);
  return reader.take();
}

class Json::Printer {
 public:
  static Theirs theirs(const Json& value) {
    switch (value.kind_) {
      case Kind::null: return nullptr;
      case Kind::boolean: return value.is_.boolean;
      case Kind::whole: return value.is_.whole;
      case Kind::natural: return value.is_.natural;
      case Kind::number: return value.is_.number;
      case Kind::text: return *value.is_.text;
      case Kind::list: {
        Theirs::array_t list;
        list.reserve(value.is_.list->size());
        for (const Json& one : *value.is_.list) list.push_back(theirs(one));
        return list;
      }
      case Kind::object: break;
    }
    Theirs::object_t members;
    members.reserve(value.is_.members->size());
    for (const auto& [name, one] : *value.is_.members) members.emplace_back(name, theirs(one));
    return members;
  }
};

std::string Json::dump(Style style) const {
  using Handler = Theirs::error_handler_t;
  try {
    return Printer::theirs(*this).dump(style.indent, ' ', style.ascii,
                                       style.exact ? Handler::strict : Handler::replace);
  } catch (const Theirs::type_error& error) {
    throw JsonError(JsonError::Why::text, error.what());
  }
}

std::ostream& operator<<(std::ostream& out, const Json& value) { return out << value.dump(); }

bool Json::boolean() const {
  require(Kind::boolean);
  return is_.boolean;
}

double Json::number() const {
  if (kind_ == Kind::whole) return static_cast<double>(is_.whole);
  if (kind_ == Kind::natural) return static_cast<double>(is_.natural);
  require(Kind::number);
  return is_.number;
}

const std::string& Json::text() const {
  require(Kind::text);
  return *is_.text;
}

std::optional<std::int64_t> Json::whole() const {
  if (kind_ == Kind::whole) return is_.whole;
  if (kind_ == Kind::natural && std::in_range<std::int64_t>(is_.natural)) return static_cast<std::int64_t>(is_.natural);
  return {};
}

std::size_t Json::size() const {
  if (kind_ == Kind::list) return is_.list->size();
  if (kind_ == Kind::object) return is_.members->size();
  return kind_ == Kind::null ? 0 : 1;
}

void Json::push_back(Json value) { become(Kind::list).is_.list->push_back(std::move(value)); }

const Json* Json::begin() const {
  if (kind_ == Kind::null) return nullptr;
  require(Kind::list);
  return is_.list->data();
}
const Json* Json::end() const { return begin() + size(); }
Json* Json::begin() { return const_cast<Json*>(std::as_const(*this).begin()); }
Json* Json::end() { return begin() + size(); }

const Json& Json::operator[](std::size_t i) const {
  require(Kind::list);
  if (i >= is_.list->size()) throw JsonError(JsonError::Why::kind, "JSON has a list shorter than was asked for");
  return (*is_.list)[i];
}
Json& Json::operator[](std::size_t i) { return const_cast<Json&>(std::as_const(*this)[i]); }

void Json::erase(std::size_t i) { is_.list->erase(is_.list->begin() + (&(*this)[i] - begin())); }

const Json* Json::find(std::string_view name) const {
  if (kind_ != Kind::object) return nullptr;
  for (const auto& [own, value] : *is_.members) {
    if (own == name) return &value;
  }
  return nullptr;
}
Json* Json::find(std::string_view name) { return const_cast<Json*>(std::as_const(*this).find(name)); }

const Json& Json::at(std::string_view name) const {
  require(Kind::object);
  if (const Json* const found = find(name)) return *found;
  throw JsonError(JsonError::Why::kind, "JSON has no \"" + std::string(name) + "\" where one belongs");
}

Json& Json::operator[](std::string_view name) {
  become(Kind::object);
  if (Json* const found = find(name)) return *found;
  return is_.members->emplace_back(name, nullptr).second;
}

bool Json::erase(std::string_view name) {
  return std::erase_if(items(), [&](const auto& member) { return member.first == name; }) > 0;
}

void Json::update(const Json& other) {
  for (const auto& [name, value] : other.items()) (*this)[name] = value;
}

const Json::Members& Json::items() const {
  require(Kind::object);
  return *is_.members;
}
Json::Members& Json::items() { return const_cast<Members&>(std::as_const(*this).items()); }

bool operator==(const Json& a, const Json& b) {
  using Kind = Json::Kind;
  if (a.kind_ != b.kind_) {
    if (!a.is_number() || !b.is_number()) return false;
    if (a.kind_ == Kind::number || b.kind_ == Kind::number) return a.number() == b.number();
    return a.whole() && a.whole() == b.whole();
  }
  switch (a.kind_) {
    case Kind::null: return true;
    case Kind::boolean: return a.is_.boolean == b.is_.boolean;
    case Kind::whole: return a.is_.whole == b.is_.whole;
    case Kind::natural: return a.is_.natural == b.is_.natural;
    case Kind::number: return a.is_.number == b.is_.number;
    case Kind::text: return *a.is_.text == *b.is_.text;
    case Kind::list: return *a.is_.list == *b.is_.list;
    case Kind::object: break;
  }
  return *a.is_.members == *b.is_.members;
}

}  // namespace mercer
