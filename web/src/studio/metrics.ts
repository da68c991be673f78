// How good a fit is: figures with their intervals and what they mean.
import type { Metric } from "../charts/types";
import { h } from "../kit/dom";
import { text } from "../kit/numbers";

export function interval(metric: Metric): string {
  return metric.low === undefined || metric.high === undefined ? "" : `${text(metric.low, 3)} to ${text(metric.high, 3)}`;
}

export function metricsElement(metrics: Metric[], how?: string): HTMLElement {
  const list = h(
    "dl",
    { class: "metrics" },
    ...metrics.map((metric) =>
      h(
        "div",
        { class: "metric", title: metric.words },
        h("dt", null, metric.name.replaceAll("_", " ")),
        h("dd", null, text(metric.value, 3), metric.low === undefined ? null : h("small", null, interval(metric))),
      ),
    ),
  );
  return h("div", null, list, how ? h("p", { class: "hint" }, how) : null);
}
