// Every kind of chart and what draws it, one line a kind, in alphabetical order.
import type { Chart } from "../kit/chart";
import { confusion } from "./confusion";
import { curve } from "./curve";
import { cutoff } from "./cutoff";
import { facts } from "./facts";
import { proof } from "./proof";
import { strings } from "./strings";
import { table } from "./table";
import type { ChartData, ChartKind } from "./types";

export const charts: { [K in ChartKind]?: Chart<ChartData[K]> } = {
  confusion,
  curve,
  cutoff,
  facts,
  proof,
  strings,
  table,
};
