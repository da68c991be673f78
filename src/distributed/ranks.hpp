// Several processes that fit one model: each runs the same program and goes through its own share of the rows.
//
//     const Among among(ranks);                                // of this thread, while it lives
//     Part all = distributed::sum("pass", pieces, shapes, parts);
//
// All ranks take the same way through the program, because what they decide by are the same bits: work is dealt, and
// what it gives is told to all and put together in the order of its parts, never in that of the ranks. Where there is
// no Among there is one rank, which has everything; the code is the same, and nothing is copied.
//
// What is dealt is a phase: it talks to nobody, whatever it throws is kept, and then all ranks say how it went. So a
// fault of one rank is the same Error on all of them, and none waits for a message that never comes; ranks that find
// themselves at different places end with an Error, too. Within a phase, and within loops (base/loop.hpp), a rank
// is alone: what is called there asks nobody else.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::distributed {

// What carries bytes between the ranks. All of them call the same verb, in the same order, from one thread each.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // What each rank gives, in the order of ranks, on all of them.
  virtual std::vector<std::string> gather(const std::string& own) = 0;
  // Takes to[r] to rank r, and brings what each rank has for this one.
  virtual std::vector<std::string> exchange(const std::vector<std::string>& to) = 0;
};

struct State;

// Numbers of parts of a sum that a rank keeps at a time: 128 MB, and again as much on their way.
inline constexpr Index kKept = Index{1} << 24;

class [[nodiscard]] Among {
 public:
  explicit Among(Ranks& ranks, Index kept = kKept);
  ~Among();
  Among(const Among&) = delete;
  Among& operator=(const Among&) = delete;

 private:
  State* before_;
};

bool several();          // whether work is dealt here
int ranks();             // among how many; 1 where it is not
bool speaks();           // whether this is the rank that prints and writes: the first, in phases as well
std::string host();      // the computer's name
bool may_be_stopped();   // false between the phases of one of several processes: only in a phase all hear of it
Range share(Index all);  // of 0 ... all - 1, what this rank has: as much as the others, and what follows on theirs

// All ranks must have the same text; else an Error names the first that differs: `what`, its text and that of rank 0.
void require_same(const std::string& what, const std::string& text);
// The text of rank 0, which `make` gives there.
std::string of_first(std::string_view what, const std::function<std::string()>& make);

// `work` of this rank, and then the vote.
void phase(std::string_view what, const std::function<void()>& work);
// All of a program: what it throws on any rank it throws on all. Within it, work is dealt.
int together(const std::function<int()>& work);

// `take` gets on each rank what `make` gave for 0 ... count - 1, in this order; each is made on one rank.
void each(std::string_view what, Index count, const std::function<std::string(Index)>& make,
          const std::function<void(const std::string&)>& take);

// Some matrices, as one thing to add up.
using Part = std::vector<Matrix>;
using Shapes = std::vector<std::pair<Index, Index>>;
// The sum of `count` parts in their order, on all ranks. `parts` hands those of a range to `take` in order, one at a
// time: of share(count), unless these are large; then of a few parts in a row for each rank, which are kept until they
// are added, and again of the next. A rank sends its parts once, and receives its share of the numbers of every part.
Part sum(std::string_view what, Index count, const Shapes& shapes,
         const std::function<void(Range mine, const std::function<void(Part)>& take)>& parts);

// Fills in the rows that other ranks have; this one has `own`, which follow on those of the rank before.
void gather_rows(std::string_view what, Matrix& rows, Range own);

}  // namespace mercer::distributed
