// mercer demo co2: the record of Mauna Loa taken apart, continued, and the method tried on the past.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "chart.hpp"
#include "co2_model.hpp"
#include "demo.hpp"
#include "mercer/io.hpp"
#include "mercer/model_file.hpp"
#include "output.hpp"
#include "watch.hpp"
#include "workflow/normal.hpp"

namespace mercer::cli {

namespace {

constexpr double kHindcastFrom = 2004, kHindcastTo = 2021;
constexpr Index kMonthsAhead = 120;
constexpr std::string_view kCsvStart = "month,year,mean,std,lower95,upper95";

constexpr const char* kMeans[] = {"zero", "constant", "linear"};

// A mean function tried on the past.
struct Trial {
  std::string mean;
  Model model;
  Hindcast test;
  double evidence() const { return model.report().figure("log_marginal_likelihood").value(); }
};

struct Story {
  Record record;
  Model model;
  Forecast past, future;  // at the months of the record, and at those after it
  std::vector<Trial> trials = {};
  std::vector<Hindcast> stretches = {};  // of the linear mean
};

Vector months_after(const Record& record) {
  Vector out;
  for (Index m = 1; m <= kMonthsAhead; ++m) out.push_back(record.year.back() + static_cast<double>(m) / 12);
  return out;
}

Story tell(Watch& watch) {
  const Record record = mauna_loa();
  // One bar for all the fits, each of which takes about a third of the iterations it may.
  const Monitor bar = watch.monitor();
  double done = 0;
  const Execution how{.monitor = Monitor([&](const Progress& p) {
                        const double of_this = p.stage == "learn" ? std::min(1.0, 3 * p.fraction) : 0;
                        bar.report({"learn", std::min(1.0, (done + of_this) / (1 + std::size(kMeans)))});
                        return true;
                      })};
  const auto fit_until = [&](double end, const std::string& mean) {
    Model model = fit_co2(record, end, mean, how);
    watch.stop_if_asked();
    ++done;
    return model;
  };
  const Model model = fit_until(kHindcastTo, "linear");
  Story out{record, model, forecast(model, record.year, how), forecast(model, months_after(record), how)};
  for (const std::string mean : kMeans) {
    const Model early = fit_until(kHindcastFrom, mean);
    out.trials.push_back({mean, early, hindcast(early, record, kHindcastFrom, kHindcastTo, how)});
  }
  for (const auto& [from, to] : {std::pair(2004.0, 2009.0), std::pair(2009.0, 2014.0), std::pair(2014.0, 2021.0)}) {
    out.stretches.push_back(hindcast(out.trials.back().model, record, from, to, how));
  }
  return out;
}

// ---- files ----

struct Files {
  std::string model, forecast;
};

Files files_for(const DemoWords& words) {
  Files out{demo_file(words, "co2.mercer"), demo_file(words, "co2_forecast.csv")};
  require_own(out.forecast, kCsvStart);
  std::error_code ignored;
  if (!std::filesystem::exists(out.model, ignored)) return out;
  try {
    if (load(out.model).parts().targets != std::vector<std::string>{"CO2"}) refuse_to_overwrite(out.model);
  } catch (const Error&) {
    refuse_to_overwrite(out.model);
  }
  return out;
}

void write_forecast(const std::string& path, const Forecast& f) {
  write_atomically(path, [&](std::ostream& out) {
    out << kCsvStart;
    for (const char* const name : kPartNames) out << fmt::format(",{0},{0}_std", name);
    out << "\n";
    for (std::size_t i = 0; i < f.year.size(); ++i) {
      const double half = workflow::kBand95 * f.std[i];
      out << fmt::format("{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f}", month_of(f.year[i]), f.year[i], f.mean[i], f.std[i],
                         f.mean[i] - half, f.mean[i] + half);
      for (std::size_t p = 0; p < kParts; ++p) out << fmt::format(",{:.4f},{:.4f}", f.part[p][i], f.part_std[p][i]);
      out << "\n";
    }
  });
}

// ---- words ----

// The highest less the lowest of the season in the twelve months that begin at i.
struct Swing {
  double size = 0;
  std::size_t peak = 0, trough = 0;
};
Swing swing(const Forecast& f, std::size_t i) {
  const Vector& season = f.part[kSeason];
  const auto first = season.begin() + static_cast<Index>(i);
  const auto [low, high] = std::minmax_element(first, first + 12);
  return {*high - *low, static_cast<std::size_t>(high - season.begin()),
          static_cast<std::size_t>(low - season.begin())};
}

Vector added(const Vector& a, const Vector& b) {
  Vector out = a;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += b[i];
  return out;
}

std::string sentences(const Story& s) {
  const Model& m = s.model;
  const Forecast& past = s.past;
  const std::size_t last = past.year.size() - 1;
  const Swing now = swing(past, last - 11), then = swing(past, 0);
  const Vector& medium = past.part[kMedium];
  const std::size_t extreme = static_cast<std::size_t>(
      std::max_element(medium.begin(), medium.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) -
      medium.begin());
  const double noise = std::sqrt(m.posterior().noise[0]);
  std::string out;
  const auto add = [&](std::string_view name, const std::string& text) {
    const std::vector<std::string> lines = lines_of(wrapped(text, 86));
    for (std::size_t i = 0; i < lines.size(); ++i) out += fmt::format("  {:<8}{}\n", i == 0 ? name : "", lines[i]);
  };
  const Vector rise = added(past.part[kTrend], past.part[kLine]);
  add("trend",
      fmt::format("a line that climbs {:.2f} ppm a year, and a smooth curve about it of amplitude {:.1f} ppm "
                  "that bends over {:.0f} years. Together they are at {:.1f} ppm in {} and rise by {:.1f} ppm a "
                  "year, {:.1f} when the record began.",
                  m.expansion().parts().slope(0, 0), amplitude(m, kTrend), parameter(m, "rbf.ell"), rise[last],
                  s.record.last, rise[last] - rise[last - 12], rise[12] - rise[0]));
  add("season",
      fmt::format("a yearly cycle of amplitude {:.1f} ppm whose shape changes over {:.0f} years: from {} to {} "
                  "it climbs {:.1f} ppm, {:.1f} in the first year. Its ell of {:.2f} makes it a smooth wave.",
                  amplitude(m, kSeason), parameter(m, "rbf2.ell"), month_name(past.year[now.trough]),
                  month_name(past.year[now.peak]), now.size, then.size, parameter(m, "periodic.ell")));
  const double alpha = parameter(m, "rq.alpha");
  add("medium",
      fmt::format("ups and downs of {:.2f} ppm over {:.1f} years, {}, such as {:+.1f} ppm in {}.",
                  amplitude(m, kMedium), parameter(m, "rq.ell"),
                  alpha > 100 ? "no shorter and no longer ones (alpha is large)"
                              : fmt::format("with shorter and longer ones among them (alpha = {:.1f})", alpha),
                  medium[extreme], month_of(past.year[extreme])));
  add("short", fmt::format("weather: {:.2f} ppm, forgotten after {:.1f} months.", amplitude(m, kShort),
                           12 * parameter(m, "rbf3.ell")));
  add("noise", fmt::format("{:.2f} ppm that one month does not share with the next.", noise));
  return out;
}

std::string part_pictures(const Story& s) {
  std::string out;
  // One value a year shows the trend and the medium term; the season and what is short need the months.
  const auto yearly = [&](const Vector& v) {
    Vector picked;
    for (std::size_t i = 6; i < v.size(); i += 12) picked.push_back(v[i]);
    return picked;
  };
  const auto recent = [&](const Vector& v) { return Vector(v.end() - 60, v.end()); };
  out += fmt::format("  trend   {}  by year, {} to {}\n",
                     sparkline(yearly(added(s.past.part[kTrend], s.past.part[kLine]))), s.record.first.substr(0, 4),
                     s.record.last.substr(0, 4));
  out += fmt::format("  medium  {}\n", sparkline(yearly(s.past.part[kMedium])));
  out += fmt::format("  season  {}  the last 60 months\n", sparkline(recent(s.past.part[kSeason])));
  out += fmt::format("  short   {}\n", sparkline(recent(s.past.part[kShort])));
  return out;
}

std::string picture(const Story& s) {
  const double from = 2010, to = std::ceil(s.future.year.back());
  double low = 1e9, high = -1e9;
  for (std::size_t i = 0; i < s.record.year.size(); ++i) {
    if (s.record.year[i] >= from) low = std::min(low, s.record.co2[i]);
  }
  for (std::size_t i = 0; i < s.future.year.size(); ++i) high = std::max(high, s.future.mean[i] + 2 * s.future.std[i]);
  Chart chart(88, 15, {from, to}, {std::floor(low), std::ceil(high)});
  for (std::size_t i = 0; i < s.record.year.size(); ++i) chart.dot(s.record.year[i], s.record.co2[i]);
  for (std::size_t i = 0; i < s.future.year.size(); ++i) {
    const double half = workflow::kBand95 * s.future.std[i];
    chart.fill(s.future.year[i], {s.future.mean[i] - half, s.future.mean[i] + half});
  }
  chart.mark(s.record.year.back() + 1.0 / 24);
  return chart.str();
}

std::string forecast_text(const Forecast& f) {
  std::vector<std::vector<std::string>> rows = {{"", "ppm", "95 % band"}};
  for (const std::size_t i : {11U, 59U, 119U}) {
    const double half = workflow::kBand95 * f.std[i];
    rows.push_back({month_of(f.year[i]), fmt::format("{:.1f}", f.mean[i]),
                    fmt::format("{:.1f} to {:.1f}", f.mean[i] - half, f.mean[i] + half)});
  }
  return table(rows, 2);
}

std::string tests_text(const Story& s) {
  const auto most = std::max_element(s.trials.begin(), s.trials.end(),
                                     [](const Trial& a, const Trial& b) { return a.evidence() < b.evidence(); });
  std::vector<std::vector<std::string>> rows = {
      {"mean function", "evidence", "RMSE", "expected", "in the 95 % band", "log density"}};
  const auto add = [&](const std::string& name, const std::string& evidence, const Hindcast& h) {
    rows.push_back({name, evidence, fmt::format("{:.2f} ppm", h.rmse), fmt::format("{:.2f} ppm", h.std),
                    fmt::format("{:.1f} %", 100 * h.coverage), fmt::format("{:.2f}", h.log_density)});
  };
  for (const Trial& trial : s.trials) {
    add(trial.mean, fmt::format("{:.1f}{}", trial.evidence(), &trial == &*most ? " most" : ""), trial.test);
  }
  for (const Hindcast& h : s.stretches) add(fmt::format("linear, {:.0f}-{:.0f}", h.from, h.to - 1), "", h);
  return table(rows, 2);
}

std::string learning_text(const Model& model) {
  const Report& report = model.report();
  return fmt::format("{} points, {} iterations in {}{}; log marginal likelihood {:.2f}",
                     model.expansion().parts().training_size, report.iterations, seconds_text(report.seconds),
                     report.converged ? "" : ", not converged: " + report.stopped,
                     report.figure("log_marginal_likelihood").value());
}

std::string text_of(const Story& s, const Files& files) {
  std::string out = "1. " + data_text(s.record);
  out += "\n2. A Gaussian process: a linear mean, noise, and a kernel of four parts that begins with guesses,\n";
  out += indented(wrapped(co2_start(), 96), 2);
  out += "and learns its parameters, and the noise, by maximising the marginal likelihood of the record:\n";
  out += indented(learning_text(s.model), 2);
  out += "\n3. What it found:\n" + sentences(s) + part_pictures(s);
  out += fmt::format("\n4. Ten years on, to the right of the line: the 95 % band of a monthly mean, in ppm.\n{}",
                     picture(s));
  out += forecast_text(s.future);
  out += fmt::format(
      "\n5. Can it be trusted? The same start learns from the months to the end of 2003 and predicts the {}\n"
      "   after that: the error it made, and the one it expected. With three mean functions; the evidence,\n"
      "   the log marginal likelihood, knows only the months before:\n",
      s.trials[0].test.months);
  out += tests_text(s);
  out +=
      fmt::format("\nWritten: {}, the model,\n         {}, the forecast and its parts.\n", files.model, files.forecast);
  out += fmt::format(
      "Try next (mercer is build/mercer until `make install` has put it on the path):\n"
      "  mercer sample {0} --grid 2020.4:2030.4:121 --draws 3 --noise\n"
      "  printf 'year\\n2030.5\\n2050.5\\n' | mercer predict {0} - --std --noise\n"
      "  mercer demo --list\n",
      files.model);
  return out;
}

// ---- for programs ----

Json forecast_json(const Forecast& f) {
  Json out{{"year", f.year}, {"mean", f.mean}, {"std", f.std}};
  for (std::size_t p = 0; p < kParts; ++p) {
    out[kPartNames[p]] = f.part[p];
    out[fmt::format("{}_std", kPartNames[p])] = f.part_std[p];
  }
  return out;
}

Json test_json(const Hindcast& h) {
  return {{"from", h.from},
          {"to", h.to},
          {"months", h.months},
          {"rmse", h.rmse},
          {"expected", h.std},
          {"coverage_95", h.coverage},
          {"mean_log_density", h.log_density}};
}

Json json_of(const Story& s, const Files& files) {
  Json out{{"demo", "co2"},
           {"months", s.record.co2.size()},
           {"first", s.record.first},
           {"last", s.record.last},
           {"start", co2_start()},
           {"model", to_json(s.model)},
           {"noise", s.model.posterior().noise[0]},
           {"amplitudes", Json::object()},
           {"forecast", forecast_json(s.future)}};
  for (const Part p : {kTrend, kSeason, kMedium, kShort}) out["amplitudes"][kPartNames[p]] = amplitude(s.model, p);
  for (const Trial& trial : s.trials) {
    out["hindcasts"].push_back({{"mean", trial.mean},
                                {"log_marginal_likelihood", trial.evidence()},
                                {"kernel", trial.model.expansion().parts().kernel->str()},
                                {"test", test_json(trial.test)}});
  }
  for (const Hindcast& h : s.stretches) out["linear_by_years"].push_back(test_json(h));
  out["output"] = {{"model", files.model}, {"forecast", files.forecast}};
  return out;
}

}  // namespace

void demo_co2(const DemoWords& words) {
  const Files files = files_for(words);
  Watch watch;
  watch.gently();
  const Story story = tell(watch);
  watch.done();
  save(files.model, story.model);
  write_forecast(files.forecast, story.future);
  words.as_json ? put_json(json_of(story, files)) : put(text_of(story, files));
}

}  // namespace mercer::cli
