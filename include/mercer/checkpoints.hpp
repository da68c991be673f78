// mercer/checkpoints.hpp: what a long fit keeps of itself, so that another process can go on where this one was ended.
//
// A machine whose row says so (Machine::resumes) gives all that the loop it is in has by then, at the beginning of a
// step, and begins with what was kept last. What it computes before that loop it computes again, to the same bits; so
// the model does not depend on when, or how often, the work was interrupted.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer {

class Checkpoints {
 public:
  virtual ~Checkpoints() = default;
  virtual Vector last() const = 0;  // what was kept, by this process or one before it; empty: nothing
  virtual bool due() const = 0;     // whether it is time to keep something again
  virtual void keep(const Vector& state) = 0;
  // The work is done, and this is what it would be taken up from at its end: for who has more to do afterwards.
  virtual void done(const Vector& state) { (void)state; }
};

}  // namespace mercer
