// The discrete choices inside a kernel.
#include "base/fail.hpp"
#include "base/text.hpp"
#include "kernel/catalog.hpp"
#include "kernel/labels.hpp"
#include "mercer/kernel.hpp"

namespace mercer {

namespace detail {

namespace {

bool is_choice(const Arg& arg) {
  return arg.kind == ArgKind::integer || arg.kind == ArgKind::number || arg.kind == ArgKind::choice ||
         arg.kind == ArgKind::word;
}

// visit(path, arg, option) for every choice, in the order of the text.
template <class Visit>
void for_each_choice(const Node& node, const std::vector<std::string>& labels, std::size_t& next, Visit& visit) {
  const std::string& label = labels[next];
  if (has_label(node)) ++next;
  auto option = node.options.begin();
  for (const Arg& arg : node.entry->args) {
    if (arg.is_param() || arg.kind == ArgKind::kernel) continue;
    if (is_choice(arg)) visit(label + "." + arg.name, arg, *option);
    ++option;
  }
  for (const NodePtr& child : node.children) for_each_choice(*child, labels, next, visit);
}

std::string text_of(const Option& option) {
  const auto* value = std::get_if<double>(&option);
  return value != nullptr ? number(*value) : std::get<std::string>(option);
}

// The option that a text means for this argument.
Option option_of(const std::string& path, const Arg& arg, std::string_view text) {
  if (arg.kind == ArgKind::word) return std::string(text);
  const auto value = parse_number(std::string(text));
  if (!value) fail(ErrorKind::usage, "{}={}: a number is needed", path, text);
  return *value;
}

// The same tree with another value for choice number `which`, counting down as it passes them.
Kernel rebuild(const Node& node, Index& which, const Option& value) {
  std::vector<Option> options = node.options;
  auto option = options.begin();
  for (const Arg& arg : node.entry->args) {
    if (arg.is_param() || arg.kind == ArgKind::kernel) continue;
    if (is_choice(arg) && which-- == 0) *option = value;
    ++option;
  }
  std::vector<NodePtr> children;
  for (const NodePtr& child : node.children) children.push_back(rebuild(*child, which, value).share());
  return TrustedCore::theorem(*node.entry, node.params, std::move(options), std::move(children));
}

}  // namespace

}  // namespace detail

std::vector<KernelOption> Kernel::options() const {
  std::vector<KernelOption> out;
  std::size_t next = 0;
  const auto visit = [&](const std::string& path, const detail::Arg&, const detail::Option& option) {
    out.push_back({path, detail::text_of(option)});
  };
  detail::for_each_choice(*node_, detail::labels_of(*node_), next, visit);
  return out;
}

Kernel Kernel::with_option(std::string_view path, std::string_view value) const {
  struct Match {
    Index which;
    std::string path;
    const detail::Arg* arg;
  };
  std::vector<Match> matches;
  std::vector<std::string> paths;
  std::size_t next = 0;
  const auto visit = [&](const std::string& own, const detail::Arg& arg, const detail::Option&) {
    if (own == path || own.ends_with("." + std::string(path))) {
      matches.push_back({static_cast<Index>(paths.size()), own, &arg});
    }
    paths.push_back(own);
  };
  detail::for_each_choice(*node_, detail::labels_of(*node_), next, visit);
  if (matches.empty()) {
    fail(ErrorKind::usage, "option \"{}\": the kernel has {}{}", path,
         paths.empty() ? "no options" : fmt::format("{}", fmt::join(paths, ", ")), did_you_mean(path, paths));
  }
  if (matches.size() > 1) {
    fail(ErrorKind::usage, "option \"{}\": {} of them; name one whole: {}", path, matches.size(),
         fmt::join(paths, ", "));
  }
  Index which = matches.front().which;
  return detail::rebuild(*node_, which, detail::option_of(matches.front().path, *matches.front().arg, value));
}

}  // namespace mercer
