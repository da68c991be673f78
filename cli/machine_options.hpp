// The options of a machine as options of the command: C_over_m is --C-over-m, a bias that is there is left out by
// --no-bias.
#pragma once

#include <deque>
#include <span>

#include "arguments.hpp"
#include "mercer/machines.hpp"

namespace mercer::cli {

// The machine that the words of a verb begin with, taken off them. Null when they ask for help only.
const Machine* take_machine(const std::string& verb, Words& words);

class MachineOptions {
 public:
  // Options in `taken` mean something else to the verb.
  MachineOptions(const Machine& machine, Arguments& arguments, std::span<const std::string> taken);
  Settings settings() const;  // of the options that were given

 private:
  struct Entry {
    std::string option;
    bool flag;
    std::string on;  // the value a flag stands for
    std::string text = {};
    bool given = false;
  };
  std::deque<Entry> entries_;  // addresses stay
};

// "--C-over-m", or for a flag that is on by itself "--no-bias".
std::string option_word(const MachineOption& option);
// What giving it does: of a flag that is on by itself, not to do what it says.
std::string option_help(const MachineOption& option);

// "4GB", "500 MB", "2e9" as bytes; 0 for an empty text.
std::size_t memory_size(const std::string& option, const std::string& text);

}  // namespace mercer::cli
