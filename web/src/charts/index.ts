// Every kind of chart and what draws it, one line a kind, in alphabetical order.
import type { Chart } from "../kit/chart";
import { calibration } from "./calibration";
import { confusion } from "./confusion";
import { curve } from "./curve";
import { curves } from "./curves";
import { cutoff } from "./cutoff";
import { facts } from "./facts";
import { path } from "./path";
import { predictedActual } from "./predicted_actual";
import { proof } from "./proof";
import { regions } from "./regions";
import { residuals } from "./residuals";
import { strings } from "./strings";
import { surface } from "./surface";
import { table } from "./table";
import { tuning } from "./tuning";
import type { ChartData, ChartKind } from "./types";

export const charts: { [K in ChartKind]?: Chart<ChartData[K]> } = {
  calibration,
  confusion,
  curve,
  curves,
  cutoff,
  facts,
  path,
  predicted_actual: predictedActual,
  proof,
  regions,
  residuals,
  strings,
  surface,
  table,
  tuning,
};
