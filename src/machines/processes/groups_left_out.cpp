#include "machines/processes/groups_left_out.hpp"

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "points/distinct.hpp"
#include "selection/equal_points.hpp"

namespace mercer::detail {

namespace {

std::vector<Group> groups_of(const std::vector<Index>& equal_to) {
  std::vector<Group> out;
  std::vector<std::size_t> place(equal_to.size());
  for (std::size_t i = 0; i < equal_to.size(); ++i) {
    const std::size_t first = at(equal_to[i]);
    if (first == i) {
      place[i] = out.size();
      out.emplace_back();
    }
    out[place[first]].push_back(static_cast<Index>(i));
  }
  return out;
}

}  // namespace

std::vector<Group> groups_of_equals(const Points& x) { return groups_of(mercer::first_equal(x)); }
std::vector<Group> groups_of_equals(const Gram& K) { return groups_of(first_equal(K)); }

std::optional<GroupsLeftOut> leave_groups_out(const std::vector<Group>& groups, const Matrix& Py,
                                              const std::function<Matrix(const Group&)>& precision) {
  GroupsLeftOut out{Matrix(Py.rows(), Py.cols()), Vector(at(Py.rows())), {}};
  for (const Group& F : groups) {
    const auto size = static_cast<Index>(F.size());
    Matrix P = precision(F), error(size, Py.cols()), covariance(size, size);
    if (linalg::cholesky(P) != 0) return std::nullopt;
    for (Index a = 0; a < size; ++a) {
      std::copy_n(Py.row(F[at(a)]), Py.cols(), error.row(a));
      covariance(a, a) = 1;
    }
    linalg::cholesky_solve(P, error);
    linalg::cholesky_solve(P, covariance);
    for (Index a = 0; a < size; ++a) {
      std::copy_n(error.row(a), Py.cols(), out.error.row(F[at(a)]));
      out.variance[at(F[at(a)])] = covariance(a, a);
    }
    out.covariance.push_back(std::move(covariance));
  }
  return out;
}

}  // namespace mercer::detail
