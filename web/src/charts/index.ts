// Every kind of chart and what draws it, one line a kind, in alphabetical order.
import type { Chart } from "../kit/chart";
import { bars } from "./bars";
import { bivariate } from "./bivariate";
import { calibration } from "./calibration";
import { confusion } from "./confusion";
import { curve } from "./curve";
import { curves } from "./curves";
import { cutoff } from "./cutoff";
import { densities } from "./densities";
import { embedding } from "./embedding";
import { facts } from "./facts";
import { gram } from "./gram";
import { graphs } from "./graphs";
import { histogram } from "./histogram";
import { path } from "./path";
import { precisionRecall } from "./precision_recall";
import { predictedActual } from "./predicted_actual";
import { proof } from "./proof";
import { regions } from "./regions";
import { reliability } from "./reliability";
import { residuals } from "./residuals";
import { roc } from "./roc";
import { scree } from "./scree";
import { shepard } from "./shepard";
import { silhouette } from "./silhouette";
import { spectrum } from "./spectrum";
import { strings } from "./strings";
import { surface } from "./surface";
import { table } from "./table";
import { tuning } from "./tuning";
import type { ChartData, ChartKind } from "./types";

export const charts: { [K in ChartKind]?: Chart<ChartData[K]> } = {
  bars,
  bivariate,
  calibration,
  confusion,
  curve,
  curves,
  cutoff,
  densities,
  embedding,
  facts,
  gram,
  graphs,
  histogram,
  path,
  precision_recall: precisionRecall,
  predicted_actual: predictedActual,
  proof,
  regions,
  reliability,
  residuals,
  roc,
  scree,
  shepard,
  silhouette,
  spectrum,
  strings,
  surface,
  table,
  tuning,
};
