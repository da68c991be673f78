// Every kind of chart and what draws it, one line a kind, in alphabetical order.
import type { Chart } from "../kit/chart";
import { curve } from "./curve";
import type { ChartData, ChartKind } from "./types";

export const charts: { [K in ChartKind]?: Chart<ChartData[K]> } = {
  curve,
};
