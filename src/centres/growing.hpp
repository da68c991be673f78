// Centres of the same points, more and more of them.
#pragma once

#include <memory>
#include <string_view>

#include "mercer/centres.hpp"

namespace mercer::centres {

// Refuses none, and more than there are points.
void require_count(Index count, Index points);

// Of a plan: what choosing takes beyond what the fit will hold, which is not there yet.
constexpr std::string_view kChoosing = "choosing centres, beyond that";
// Bytes for so many, of points of which so many are looked at: rows for these, a root, and strips of two threads.
double bytes_of_choosing(Index count, Index looked_at);

// What choose_centres() does, for who tries several numbers of centres: by rpcholesky those that are there stay, and
// all together cost what the most of them would by themselves. Others are chosen anew.
class Growing {
 public:
  // Of at most `most.count` centres. Looks at a sample of the points, as large as so many need.
  Growing(const Kernel& k, const Points& x, const CentreWishes& most, const Execution& how);
  ~Growing();

  Centres of(Index count);  // not fewer than the time before

 private:
  class Chooser;
  std::unique_ptr<Chooser> chooser_;
};

}  // namespace mercer::centres
