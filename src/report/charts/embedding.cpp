// Points in a plane: coordinates that the model gives, or those in which its kernel sees them best.
#include <fmt/format.h>

#include <cmath>

#include "base/at.hpp"
#include "mercer/distances.hpp"
#include "mercer/machines/pca.hpp"
#include "report/charts.hpp"
#include "report/matrix_of.hpp"

namespace mercer::report {

namespace {

constexpr Index kMostSeen = 1500;  // points whose components are looked for
constexpr Index kMostAxes = 6, kMostPaired = 100;

bool is_map(const Subject& subject) {
  const Reading reading = subject.model.parts().reading;
  return reading == Reading::embedding || reading == Reading::gower || reading == Reading::projection;
}

struct Coordinates {
  std::vector<Index> which;
  Matrix y;  // one row each
  std::vector<std::string> axes;
  Vector shares = {};  // of the variance, where they are known
};

Matrix fitted_or_predicted(const Subject& subject, const std::vector<Index>& which) {
  const Matrix& fitted = subject.model.parts().fitted;
  if (!subject.fitted_to || fitted.rows() != subject.x.size()) {
    return subject.model.predict_targets(subject.x.select(which), subject.how);
  }
  Matrix out(static_cast<Index>(which.size()), fitted.cols());
  for (Index i = 0; i < out.rows(); ++i) std::copy_n(fitted.row(which[at(i)]), fitted.cols(), out.row(i));
  return out;
}

Vector shares_of(const Report& report) {
  const Report::Table* const table = report.table("components");
  if (table == nullptr || table->columns.empty() || table->columns.back() != "share") return {};
  Vector out;
  for (Index i = 0; i < table->rows.rows(); ++i) out.push_back(table->rows(i, table->rows.cols() - 1));
  return out;
}

Coordinates coordinates(const Subject& subject) {
  if (is_map(subject)) {
    std::vector<Index> which = evenly(subject.x.size(), kMostPoints);
    Matrix y = fitted_or_predicted(subject, which);
    return {std::move(which), std::move(y), subject.model.answer_names(), shares_of(subject.model.report())};
  }
  std::vector<Index> which = evenly(subject.x.size(), kMostSeen);
  const Training training{.K = matrix_of(subject, which), .how = subject.how};
  const Model pca = KernelPca{.components = 4, .at_most = true}.fit(training);
  const Matrix scores =
      pca.expansion().parts().kernel
          ? pca.predict_targets(*training.K.points(), subject.how)
          : pca.targets_of(pca.scores_from_rows(training.K.rows(evenly(training.K.size(), training.K.size()))));
  return {std::move(which), scores, pca.answer_names(), shares_of(pca.report())};
}

Json coordinates_along(const Matrix& m, Index j) {
  Vector values;
  for (Index i = 0; i < m.rows(); ++i) values.push_back(m(i, j));
  return numbers(values);
}

// Classes to be seen beside the coordinates, or clusters.
struct Colours {
  std::vector<std::string> names;
  std::vector<Index> of;
  std::string words;
};
Colours colours_of(const Subject& subject) {
  if (subject.model.finds_clusters()) return {subject.model.classes(), clusters_of(subject), "by cluster"};
  if (subject.labels.size() == subject.x.size()) return {subject.labels.classes, subject.labels.of, "by class"};
  return {};
}

}  // namespace

bool has_plane(const Subject& subject) {
  if (subject.x.size() < 3) return false;
  if (is_map(subject)) return subject.fitted_to || subject.model.expansion().parts().kernel;
  return has_matrix(subject) && !colours_of(subject).of.empty();
}

Exhibit embedding_picture(const Subject& subject) {
  const Coordinates found = coordinates(subject);
  const Index axes = std::min(kMostAxes, found.y.cols());
  Json data = {{"axes", Json::array()}, {"coordinates", Json::array()}};
  double shown = 0;
  for (Index j = 0; j < axes; ++j) {
    std::string label = found.axes[at(j)];
    if (j < static_cast<Index>(found.shares.size())) {
      label += fmt::format(" ({:.1f} %)", 100 * found.shares[at(j)]);
      if (j < 2) shown += found.shares[at(j)];
    }
    data["axes"].push_back({{"label", label}});
    data["coordinates"].push_back(coordinates_along(found.y, j));
  }
  if (axes == 1) {  // a plane needs a second axis: the number of the point
    data["axes"].push_back({{"label", "row"}});
    Vector numbers_of_rows;
    for (const Index i : found.which) numbers_of_rows.push_back(static_cast<double>(i + 1));
    data["coordinates"].push_back(numbers(numbers_of_rows));
  }
  const Colours colours = colours_of(subject);
  Json rows = Json::array(), groups = Json::array();
  for (const Index i : found.which) {
    rows.push_back(i + 1);
    if (!colours.of.empty()) groups.push_back(colours.of[at(i)]);
  }
  data["rows"] = rows;
  if (!colours.of.empty()) {
    data["group"] = groups;
    data["classes"] = colours.names;
  }
  data["equal"] = subject.model.parts().reading == Reading::gower;
  std::string finding = is_map(subject)
                            ? fmt::format("Coordinates that {} gives", subject.model.parts().machine)
                            : std::string("The points along the directions in which the kernel sees them differ most");
  if (!colours.words.empty()) finding += ", coloured " + colours.words;
  if (shown > 0) finding += fmt::format(". The first two explain {:.1f} % of the variance", 100 * shown);
  const auto n = static_cast<Index>(found.which.size());
  if (n < subject.x.size()) finding += fmt::format(". Shown are {} of {} points, evenly taken", n, subject.x.size());
  return {"embedding", "embedding", is_map(subject) ? "The map" : "The points as the kernel sees them", finding + ".",
          std::move(data)};
}

bool has_components(const Subject& subject) { return is_map(subject) && !shares_of(subject.model.report()).empty(); }

Exhibit scree_picture(const Subject& subject) {
  const Report& report = subject.model.report();
  const Report::Table& table = *report.table("components");
  const Vector shares = shares_of(report);
  Vector eigenvalues, cumulative;
  double so_far = 0;
  for (Index i = 0; i < table.rows.rows(); ++i) {
    eigenvalues.push_back(table.rows(i, 0));
    cumulative.push_back(so_far += shares[at(i)]);
  }
  std::string finding = fmt::format("{} component{} explain {:.1f} % of the whole", shares.size(),
                                    shares.size() == 1 ? "" : "s", 100 * so_far);
  if (const auto negative = report.figure("negative_share"); negative && *negative > 0) {
    finding += fmt::format("; {:.1f} % of it is in negative eigenvalues, which no map can show", 100 * *negative);
  }
  return {"scree",
          "scree",
          "What the components explain",
          finding + ".",
          {{"eigenvalues", numbers(eigenvalues)},
           {"share", numbers(shares)},
           {"cumulative", numbers(cumulative)},
           {"kept", shares.size()}}};
}

bool has_distances(const Subject& subject) {
  return is_map(subject) && subject.x.size() >= 3 && has_matrix(subject) &&
         (subject.fitted_to || subject.model.expansion().parts().kernel);
}

// Distances as they were given against those on the map.
Exhibit shepard_picture(const Subject& subject) {
  const std::vector<Index> which = evenly(subject.x.size(), kMostPaired);
  const Matrix y = fitted_or_predicted(subject, which);
  const Gram K = matrix_of(subject, which);
  // mds of numbers is given the distances themselves.
  const bool given_as_such = subject.model.parts().reading == Reading::gower && !K.kernel();
  const Matrix given = given_as_such ? K.rows(evenly(K.size(), K.size())) : squared_distances(K, subject.how);
  Vector wanted, shown;
  double errors = 0, squares = 0;
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      double sum = 0;
      for (Index c = 0; c < y.cols(); ++c) sum += (y(i, c) - y(j, c)) * (y(i, c) - y(j, c));
      wanted.push_back(given_as_such ? given(i, j) : std::sqrt(given(i, j)));
      shown.push_back(std::sqrt(sum));
      errors += (wanted.back() - shown.back()) * (wanted.back() - shown.back());
      squares += wanted.back() * wanted.back();
    }
  }
  const double stress = squares > 0 ? std::sqrt(errors / squares) : 0;
  return {
      "shepard",
      "shepard",
      "Distances on the map",
      fmt::format(
          "Each dot is a pair of points{}. On average (rms) the map is off by {:.1f} % of a distance.",
          y.rows() < subject.x.size() ? fmt::format(" among {} of {}, evenly taken", y.rows(), subject.x.size()) : "",
          100 * stress),
      {{"given", numbers(wanted)}, {"found", numbers(shown)}, {"stress", stress}}};
}

}  // namespace mercer::report
