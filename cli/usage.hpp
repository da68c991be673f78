// What a verb takes, for those who tell it otherwise than --help does: completion and manual pages.
#pragma once

#include "verbs.hpp"

namespace mercer::cli {

struct Usage {
  struct Option {
    std::vector<std::string> names;  // "-o", "--output"; of an argument that has its place "DATA"
    std::string value;               // what stands for the value in the help; empty for a flag
    std::string help;
    std::string section;
    bool placed = false;    // an argument that is known by its place
    bool required = false;  // of these
  };
  std::string purpose, examples;
  std::vector<Option> options;
};

// Where a word would be the last one, Arguments::parse throws Described instead of parsing. No key types it.
inline constexpr std::string_view kDescribe =
    "\x01"
    "describe";
struct Described {
  Usage usage;
};

// Of a verb; of one that takes a machine first, with that machine's options, or without any where it is empty.
Usage usage_of(const Verb& verb, const std::string& machine = {});

}  // namespace mercer::cli
