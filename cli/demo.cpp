// mercer demo: a tour of the command on data that it carries inside itself. Every number shown is computed.
#include <algorithm>
#include <cmath>

#include "arguments.hpp"
#include "embedded_data.hpp"
#include "mercer/check.hpp"
#include "mercer/gram.hpp"
#include "output.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

// The components of Rasmussen & Williams, section 5.4.3, at their fitted values: amplitudes in ppm, squared, times
// shapes over years.
struct Component {
  const char* meaning;
  const char* text;
};
constexpr Component kComponents[] = {
    {"long-term rise", "4356*rbf(ell=67)"},
    {"seasonal cycle", "5.76*rbf(ell=90)*periodic(period=1, ell=1.3)"},
    {"medium term", "0.4356*rq(ell=1.2, alpha=0.78)"},
    {"weather", "0.0324*rbf(ell=0.134)"},
};
// scikit-learn's ExpSineSquared, at its default length scale and period, on points of any dimension.
constexpr const char* kFamousNonKernel = "exp(-2*sin(pi*norm(x-y))^2)";

struct Record {
  Vector year, co2;         // one entry per month that was measured
  Vector season;            // mean of CO2 less its seasonally adjusted value, January to December
  std::string first, last;  // months: "1958-03"
};

Record mauna_loa() {
  Record out;
  out.season.assign(12, 0.0);
  Vector counts(12, 0.0);
  const std::vector<std::string> lines = lines_of(data::mauna_loa_co2());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = split(lines[i], ',');
    if (fields.size() != 3) continue;
    const std::string month_text = fields[0].substr(0, 7);
    const std::size_t month = static_cast<std::size_t>(*parse_number(fields[0].substr(5, 2))) - 1;
    if (out.year.empty()) out.first = month_text;
    out.last = month_text;
    out.year.push_back(*parse_number(fields[0].substr(0, 4)) + (static_cast<double>(month) + 0.5) / 12);
    out.co2.push_back(*parse_number(fields[1]));
    out.season[month] += out.co2.back() - *parse_number(fields[2]);
    ++counts[month];
  }
  for (std::size_t m = 0; m < 12; ++m) out.season[m] /= counts[m];
  return out;
}

// One block character per value, low to high.
std::string sparkline(const Vector& values) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::string out;
  for (const double v : values) out += kBlocks[std::min(7, static_cast<int>(8 * (v - *low) / (*high - *low)))];
  return out;
}

Vector yearly_means(const Record& record) {
  Vector out;
  for (std::size_t i = 0; i < record.year.size();) {
    const double year = std::floor(record.year[i]);
    double total = 0, count = 0;
    for (; i < record.year.size() && std::floor(record.year[i]) == year; ++i, ++count) total += record.co2[i];
    out.push_back(total / count);
  }
  return out;
}

std::string bar(double share, int width) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(8 * width * std::clamp(share, 0.0, 1.0)));
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += "█";
  return padded(out + kEighths[eighths % 8], static_cast<std::size_t>(width));
}

Points column(const Vector& values) {
  return rows(Matrix(MatrixView(values.data(), static_cast<Index>(values.size()), 1)));
}

// ---- what the kernel says ----

constexpr int kLags[] = {1, 6, 12, 60, 120};  // months

struct Belief {
  std::string meaning, kernel;
  double deviation;     // sqrt k(0, 0)
  Vector correlations;  // k(0, lag) / k(0, 0)
};

Belief belief(const std::string& meaning, const Kernel& k) {
  Vector times = {0.0};
  for (const int lag : kLags) times.push_back(lag / 12.0);
  const Matrix values = cross(k, column({0.0}), column(times));
  Belief out{meaning, k.str(), std::sqrt(values(0, 0)), {}};
  for (Index j = 1; j < values.cols(); ++j) out.correlations.push_back(values(0, j) / values(0, 0));
  return out;
}

// ---- the Gram matrix ----

struct Spectrum {
  double trace = 0, largest = 0;
  Index rank = 0;  // pivots until 1e-8 of the trace is left
  double smallest_pivot = 0;
};

// Cholesky with the largest remaining diagonal entry as the next pivot: the pivots are >= 0 for a kernel, and how fast
// they fall tells how many columns describe the matrix.
void pivoted_cholesky(const Gram& k, Spectrum& out) {
  const Index n = k.size();
  Vector rest = k.diagonal();
  std::vector<Vector> factor;
  out.smallest_pivot = std::numeric_limits<double>::infinity();
  const auto left = [&] {
    double total = 0;
    for (const double r : rest) total += r;
    return total;
  };
  while (out.rank < n && left() > 1e-8 * out.trace) {
    const Index pivot = std::max_element(rest.begin(), rest.end()) - rest.begin();
    const auto p = static_cast<std::size_t>(pivot);
    const double value = rest[p];
    out.smallest_pivot = std::min(out.smallest_pivot, value);
    const Matrix row = k.rows(std::span(&pivot, 1));
    Vector next(row.data(), row.data() + n);
    for (const Vector& done : factor) {
      for (std::size_t j = 0; j < next.size(); ++j) next[j] -= done[p] * done[j];
    }
    for (std::size_t j = 0; j < next.size(); ++j) {
      next[j] /= std::sqrt(value);
      rest[j] -= next[j] * next[j];
    }
    rest[p] = 0;
    factor.push_back(std::move(next));
    ++out.rank;
  }
}

Spectrum spectrum_of(const Gram& k) {
  Spectrum out;
  for (const double d : k.diagonal()) out.trace += d;
  Vector v(static_cast<std::size_t>(k.size()), 1.0);
  for (int step = 0; step < 100; ++step) {  // power iteration
    double norm = 0;
    for (const double a : v) norm += a * a;
    for (double& a : v) a /= std::sqrt(norm);
    const Vector next = k.multiply(VectorView(v));
    double quotient = 0;
    for (std::size_t i = 0; i < v.size(); ++i) quotient += v[i] * next[i];
    const bool settled = std::abs(quotient - out.largest) < 1e-12 * quotient;
    out.largest = quotient;
    v = next;
    if (settled) break;
  }
  pivoted_cholesky(k, out);
  return out;
}

// ---- gradients ----

struct Slopes {
  double value = 0;         // y'Ky
  double seconds = 0;       // of the sweep
  Vector elasticity;        // d log(y'Ky) / d log(parameter)
  double disagreement = 0;  // with central differences, in elasticity, at most
};

double quadratic_form(const Kernel& k, const Points& x, const Vector& y) {
  const Matrix product = multiply(k, x, x, MatrixView(y.data(), static_cast<Index>(y.size()), 1));
  double total = 0;
  for (std::size_t i = 0; i < y.size(); ++i) total += y[i] * product(static_cast<Index>(i), 0);
  return total;
}

Slopes slopes_of(const Kernel& k, const Points& x, const Vector& y) {
  Slopes out;
  out.value = quadratic_form(k, x, y);
  const auto n = static_cast<Index>(y.size());
  Matrix w = Matrix::uninitialized(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) w(i, j) = y[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(j)];
  }
  const Stopwatch sweep;
  const Vector slopes = gradient(k, x, w);
  out.seconds = sweep.seconds();
  const Params params = k.params();
  for (Index p = 0; p < params.size(); ++p) {
    const Parameter& parameter = params[p];
    out.elasticity.push_back(slopes[static_cast<std::size_t>(p)] * parameter.value / out.value);
    const double step = 1e-4;
    const double up = quadratic_form(k.with(parameter.path, parameter.value * (1 + step)), x, y);
    const double down = quadratic_form(k.with(parameter.path, parameter.value * (1 - step)), x, y);
    out.disagreement =
        std::max(out.disagreement, std::abs((up - down) / (2 * step * out.value) - out.elasticity.back()));
  }
  return out;
}

// ---- the tour ----

struct Tour {
  Record record;
  Kernel kernel;
  std::vector<Belief> beliefs;
  double gram_seconds = 0;
  Spectrum spectrum;
  Slopes slopes;
  CheckResult counterexample;
};

Tour co2_tour() {
  std::string text;
  for (const Component& c : kComponents) text += (text.empty() ? "" : " + ") + std::string(c.text);
  Tour tour{mauna_loa(), parse(text), {}, 0, {}, {}, {}};
  for (const Component& c : kComponents) tour.beliefs.push_back(belief(c.meaning, parse(c.text)));
  tour.beliefs.push_back(belief("all together", tour.kernel));

  const Points x = column(tour.record.year);
  const Stopwatch computing;
  const Gram k = exact(tour.kernel, x);
  tour.gram_seconds = computing.seconds();
  tour.spectrum = spectrum_of(k);
  Vector y = tour.record.co2;
  double mean = 0;
  for (const double v : y) mean += v / static_cast<double>(y.size());
  for (double& v : y) v -= mean;
  tour.slopes = slopes_of(tour.kernel, x, y);
  tour.counterexample = check(Formula::parse(kFamousNonKernel));
  return tour;
}

std::string data_text(const Record& r) {
  const auto [low, high] = std::minmax_element(r.co2.begin(), r.co2.end());
  const auto peak = std::max_element(r.season.begin(), r.season.end());
  const auto trough = std::min_element(r.season.begin(), r.season.end());
  static constexpr const char* kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                            "July",    "August",   "September", "October", "November", "December"};
  return fmt::format(
      "CO2 in air at Mauna Loa, Hawaii (Scripps CO2 Program): {} months, {} to {}, {} to {} ppm.\n"
      "  by year   {}\n"
      "  by month  {}  {:+.1f} ppm in {}, {:+.1f} in {}\n",
      r.co2.size(), r.first, r.last, number(*low), number(*high), sparkline(yearly_means(r)), sparkline(r.season),
      *peak, kMonths[peak - r.season.begin()], *trough, kMonths[trough - r.season.begin()]);
}

// The tree of a proof with its sources only.
void list_steps(const Proof& proof, const std::string& first, const std::string& rest,
                std::vector<std::vector<std::string>>& out) {
  const bool leaf = proof.premises.empty();
  out.push_back({first + (leaf ? proof.statement : proof.rule), proof.conditions, proof.citation});
  for (std::size_t p = 0; p < proof.premises.size(); ++p) {
    const bool last = p + 1 == proof.premises.size();
    list_steps(proof.premises[p], rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "), out);
  }
}

std::string beliefs_text(const std::vector<Belief>& beliefs) {
  std::vector<std::vector<std::string>> lines = {{"component", "ppm"}};
  for (const int lag : kLags) {
    lines[0].push_back(lag < 12 ? fmt::format("{} month{}", lag, lag > 1 ? "s" : "")
                                : fmt::format("{} year{}", lag / 12, lag > 12 ? "s" : ""));
  }
  for (const Belief& b : beliefs) {
    lines.push_back({b.meaning, fmt::format("{:.3g}", b.deviation)});
    for (const double c : b.correlations) lines.back().push_back(fmt::format("{:.3f} {}", c, bar(c, 6)));
  }
  return table(lines, 2);
}

// Two columns of parameters, to save lines.
std::string slopes_text(const Params& params, const Slopes& slopes) {
  std::vector<std::vector<std::string>> lines((static_cast<std::size_t>(params.size()) + 1) / 2);
  for (std::size_t p = 0; p < slopes.elasticity.size(); ++p) {
    auto& line = lines[p % lines.size()];
    const Parameter& parameter = params[static_cast<Index>(p)];
    line.insert(line.end(),
                {parameter.path, number(parameter.value), fmt::format("{:+.2e} %   ", slopes.elasticity[p])});
  }
  return table(lines, 2);
}

std::string text_of(const Tour& tour) {
  const double n = static_cast<double>(tour.record.co2.size());
  const Spectrum& s = tour.spectrum;
  std::string out = "1. Data. " + data_text(tour.record);
  out += "\n2. A kernel says how alike two moments are. This one adds four components (Rasmussen & Williams, 5.4.3):\n";
  for (const Component& c : kComponents) out += fmt::format("  {:<16}{}\n", c.meaning, c.text);
  out += "It comes with its proof, every step a theorem (mercer explain prints what each one says):\n";
  std::vector<std::vector<std::string>> steps;
  list_steps(tour.kernel.proof(), "", "", steps);
  out += table(steps, 2);
  out += "\n3. What it believes: the spread of each component, and its correlation with itself some time later.\n";
  out += beliefs_text(tour.beliefs);
  out += fmt::format(
      "\n4. Its matrix on the data: {0:.0f} x {0:.0f} numbers ({1}) in {2}.\n"
      "  The largest eigenvalue, {3:.4g}, is {4:.1f} % of the trace: most of what varies is one smooth curve.\n"
      "  Cholesky with pivots: {5} of {0:.0f} columns hold all but 1e-8 of the trace; the smallest pivot is {6:.1e} > "
      "0.\n",
      n, bytes_text(8 * n * n), seconds_text(tour.gram_seconds), s.largest, 100 * s.largest / s.trace, s.rank,
      s.smallest_pivot);
  out += fmt::format(
      "\n5. Gradients: by how much y'Ky, here {:.3g}, grows when a parameter grows by 1 %. All in one sweep of {};\n"
      "   central differences, two more products per parameter, agree to {:.0e}.\n",
      tour.slopes.value, seconds_text(tour.slopes.seconds), tour.slopes.disagreement);
  out += slopes_text(tour.kernel.params(), tour.slopes);
  out += fmt::format(
      "\n6. Not everything sold as a kernel is one. {} (ExpSineSquared in scikit-learn), in the plane, is\n",
      kFamousNonKernel);
  out += indented(tour.counterexample.str(), 2);
  out += "Mercer's periodic() is built column by column, so that its proof holds in every dimension.\n";
  out +=
      "\nTry next (mercer is build/mercer until `make install` has put it on the path):\n"
      "  mercer explain 'rbf(ell=90)*periodic(period=1, ell=1.3) + 0.1*matern(nu=1.5)'\n"
      "  mercer check 'tanh(dot(x,y) - 1)'\n"
      "  mercer gram 'rbf(ell=auto)' data/toys/two_moons.csv --target label -o K.npy -v\n";
  return out;
}

Json json_of(const Tour& tour) {
  Json out{{"demo", "co2"},
           {"months", tour.record.co2.size()},
           {"first", tour.record.first},
           {"last", tour.record.last},
           {"kernel", tour.kernel.str()},
           {"proof", to_json(tour.kernel.proof())}};
  for (const Belief& b : tour.beliefs) {
    out["components"].push_back(
        {{"meaning", b.meaning}, {"kernel", b.kernel}, {"deviation", b.deviation}, {"correlations", b.correlations}});
  }
  out["lags_in_months"] = kLags;
  out["gram"] = {{"seconds", tour.gram_seconds},
                 {"trace", tour.spectrum.trace},
                 {"largest_eigenvalue", tour.spectrum.largest},
                 {"rank", tour.spectrum.rank},
                 {"smallest_pivot", tour.spectrum.smallest_pivot}};
  out["quadratic_form"] = tour.slopes.value;
  out["elasticities"] = Json::object();
  const Params params = tour.kernel.params();
  for (Index p = 0; p < params.size(); ++p) {
    out["elasticities"][params[p].path] = tour.slopes.elasticity[static_cast<std::size_t>(p)];
  }
  out["non_kernel"] = Json::parse(tour.counterexample.json());
  return out;
}

}  // namespace

int run_demo(const Words& words) {
  std::string name = "co2";
  bool list = false, as_json = false;
  Arguments arguments("demo", "A tour on data that is built in, in a second or two.",
                      "  mercer demo\n  mercer demo --list\n");
  arguments.optional("NAME", name, "Which one (default: co2)");
  arguments.flag("--list", list, "Name the demos there are");
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  const std::vector<std::string> names = {"co2"};
  if (list) {
    as_json ? put_json(names)
            : put("co2  the kernel of the CO2 record of Mauna Loa: proof, matrix, gradients, a counterexample\n");
    return 0;
  }
  if (name != "co2") {
    fail(ErrorKind::usage, "there is no demo {}{}; mercer demo --list names them", mercer::quoted(name),
         did_you_mean(name, names));
  }
  const Tour tour = co2_tour();
  as_json ? put_json(json_of(tour)) : put(text_of(tour));
  return 0;
}

}  // namespace mercer::cli
