// The shape of a column in a few bars, beside its name.
import { s } from "../kit/dom";

export function sparkline(histogram: { edges: number[]; counts: number[] } | null): SVGElement | null {
  if (!histogram || histogram.counts.length === 0) return null;
  const most = Math.max(1, ...histogram.counts);
  const width = 100 / histogram.counts.length;
  return s(
    "svg",
    { viewBox: "0 0 100 24", class: "spark", "aria-hidden": "true", preserveAspectRatio: "none" },
    ...histogram.counts.map((count, i) =>
      s("rect", { x: i * width + 0.5, width: Math.max(0.5, width - 1), y: 24 - (24 * count) / most, height: (24 * count) / most }),
    ),
  );
}
