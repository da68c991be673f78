// The data of every chart: what the C++ side computes (src/report) and what the components draw. Nothing here is
// computed in the browser but positions on the screen.

/** Numbers (null: undefined), or base64 of little-endian float32 (`f32`, to which `offset` is added) or of bytes that stand for values from min to max (`u8`). */
export type Numbers = (number | null)[] | { f32: string; offset?: number } | { u8: string; min: number; max: number };

/** What a report or the studio shows: the kind names the component, the finding says in words what is to be seen. */
export interface Exhibit<K extends ChartKind = ChartKind> {
  id: string;
  kind: K;
  title: string;
  finding: string;
  data: ChartData[K];
}

/** One axis. A logarithmic one has positive values only. */
export interface Axis {
  label: string;
  unit?: string;
  log?: boolean;
  domain?: [number, number];
}

export interface Band {
  level: number; // 0.5, 0.95
  of: "f" | "y"; // the function, or an observation of it
  low: Numbers;
  high: Numbers;
}

export interface Marks {
  x: Numbers;
  y: Numbers;
  /** Of each point: an index into `classes`, e.g. class, cluster, fold; absent: all alike. */
  group?: number[];
  classes?: string[];
  /** Support: a ring whose area grows with it. 0: no ring. */
  alpha?: Numbers;
  /** Points that the model gets wrong. */
  wrong?: number[];
  /** Shown on hover and in the table. */
  names?: string[];
  /** Row numbers in the data, counted from 1. */
  rows?: number[];
  /** The points may be dragged (studio). */
  draggable?: boolean;
}

export interface Line {
  name: string;
  y: Numbers;
  dash?: boolean;
  /** Drawn thin and pale behind the others: draws of a prior or a posterior. */
  faint?: boolean;
  /** As vertical sticks with a dot: values at places, e.g. an eigenvector of a path. */
  stems?: boolean;
  /** The colour of this group. */
  group?: number;
}

/** Functions of one number: Gaussian processes, ridge fits, tubes, densities, kernels, draws. */
export interface Curve {
  x: Axis;
  y: Axis;
  at: Numbers; // the grid
  lines: Line[];
  bands?: Band[];
  points?: Marks;
  tube?: number; // half width around the first line
  marks?: { x: number; label: string }[]; // vertical lines
}

/** Small curves beside each other that share what is said of them: components of a sum, partial dependence, draws for several parameters. */
export interface Curves {
  panels: { title: string; note?: string; curve: Curve }[];
  sharedY?: boolean;
  columns?: number;
}

/** Predictions of left-out points: standardised errors against the normal distribution, their probability integral transform, coverage. */
export interface Calibration {
  z: { theoretical: Numbers; observed: Numbers; rows?: number[] };
  pit: { edges: number[]; counts: number[]; band: [number, number] }; // band: 95 % of a bin's count when calibrated
  coverage: { nominal: Numbers; observed: Numbers; low?: Numbers; high?: Numbers };
}

/** A function of two parameters: the evidence, an error. */
export interface Surface {
  x: Axis;
  y: Axis;
  at: { x: Numbers; y: Numbers };
  z: Numbers; // row by row: z[j * nx + i] at (x_i, y_j); NaN (f32) or null where undefined
  name: string;
  larger_is_better: boolean;
  levels?: number[];
  path?: { x: number[]; y: number[] }; // the course of the optimiser
  best?: { x: number; y: number; label: string };
}

/** Candidates of a search on a grid. `se`: standard error over the folds. */
export interface TuningGrid {
  x: Axis;
  y?: Axis;
  name: string; // of the metric
  larger_is_better: boolean;
  cells: { x: number; y?: number; value: number | null; se?: number; within?: boolean; label: string }[]; // within: the one-standard-error set
  best: number; // index
  chosen?: boolean; // the model was fitted with it, whatever its score
}

export interface PredictedActual {
  x: Axis; // predicted
  y: Axis; // observed
  predicted: Numbers;
  actual: Numbers;
  low?: Numbers; // of the prediction
  high?: Numbers;
  level?: number;
  rows: number[];
  names?: string[];
}

export interface Residuals {
  x: Axis; // what they are drawn over
  y: Axis;
  at: Numbers;
  residual: Numbers;
  rows: number[];
  histogram: { edges: number[]; counts: number[] };
  /** Two standard deviations of the residuals, or of the prediction. */
  spread?: number;
}

/** Bars with a sign: relevances, weights of substrings, sizes. */
export interface Bars {
  x: Axis;
  bars: { name: string; value: number; low?: number; high?: number; group?: number; note?: string }[];
  classes?: string[];
  log?: boolean;
}

/** Figures over a number that is chosen: errors over lambda, silhouettes over k, accuracy over a cut-off. */
export interface Path {
  x: Axis;
  panels: { y: Axis; lines: { name: string; y: Numbers; low?: Numbers; high?: Numbers; dash?: boolean }[] }[];
  at: Numbers;
  chosen?: { x: number; label: string };
}

/** The plane: classes, margins, level sets. */
export interface Regions {
  x: Axis;
  y: Axis;
  /** What the plane is, where it is not the two inputs: "components 1 and 2 of the inputs, the others at their mean". */
  plane?: string;
  nx: number;
  ny: number;
  box: [number, number, number, number]; // x low, x high, y low, y high: centres of the outer cells
  classes?: string[];
  /** The class (or cluster) of each cell, row by row from y low. */
  winner?: Numbers;
  /** How sure, 0 to 1: the shade of the cell. */
  sure?: Numbers;
  /** A function with level lines: f of a binary machine, a density. */
  field?: Numbers;
  levels?: { value: number; name: string; dash?: boolean }[];
  points: Marks;
}

export interface ClassCurve {
  name: string; // of the class, or "" of the only one
  x: Numbers;
  y: Numbers;
  low?: Numbers;
  high?: Numbers;
  area: number;
  area_low?: number;
  area_high?: number;
  /** The cut-off that gives each point. */
  cut?: Numbers;
}
export interface Roc {
  curves: ClassCurve[]; // x: false positive rate, y: true positive rate
}
export interface PrecisionRecall {
  curves: ClassCurve[]; // x: recall, y: precision
  base: number[]; // the share of each class
}

/** A cut-off moved by hand: counts at every cut-off, computed beforehand. */
export interface Cutoff {
  positive: string;
  score: string; // what the cut-off is of: "probability", "score"
  cut: Numbers; // decreasing
  tp: Numbers;
  fp: Numbers;
  positives: number;
  negatives: number;
}

export interface Reliability {
  curves: { name: string; predicted: Numbers; observed: Numbers; low: Numbers; high: Numbers; count: number[] }[];
  histogram: { edges: number[]; counts: number[] };
}

export interface Confusion {
  classes: string[];
  predicted?: string[]; // where the columns are other names: clusters
  counts: number[][]; // rows: truth
}

/** Densities of scores of each class. */
export interface Densities {
  x: Axis;
  at: Numbers;
  lines: { name: string; y: Numbers; group?: number }[];
  cut?: number;
}

export interface Scree {
  eigenvalues: Numbers;
  share: Numbers; // of the whole
  cumulative: Numbers;
  kept: number;
  negative?: Numbers; // MDS of distances that no plane has
}

/** Points in a plane of coordinates found for them. With several coordinates two may be chosen. */
export interface Embedding {
  axes: Axis[];
  coordinates: Numbers[]; // one per axis
  group?: number[];
  classes?: string[];
  names?: string[];
  rows?: number[];
  equal?: boolean; // one unit is as long on both axes: maps
  label_points?: boolean; // names beside the points: maps
  centres?: { x: number[]; y: number[]; names: string[] };
  pictures?: { width: number; height: number; u8: string[] }; // pre-images shown on hover
}

export interface Shepard {
  given: Numbers;
  found: Numbers;
  stress: number;
}

export interface Silhouette {
  clusters: { name: string; values: Numbers; rows: number[] }[]; // decreasing within a cluster
  mean: number;
}

/** A kernel matrix as a picture, at most 512 x 512; each cell the mean of its block where n is more. */
export interface GramPicture {
  size: number;
  n: number;
  values: Numbers; // row by row
  order: string; // "by class", "by cluster", "as in the file"
  rows?: number[]; // of the data, counted from 1, of each row of the picture
  blocks?: { name: string; from: number; to: number }[];
}

export interface Spectrum {
  eigenvalues: Numbers; // decreasing
  n: number;
  effective: number; // participation ratio (sum)^2 / sum of squares
  noise?: number; // a level below which directions are not told from noise
  cumulative?: Numbers;
}

export interface Histogram {
  x: Axis;
  edges: number[];
  counts: number[];
  groups?: { name: string; counts: number[] }[];
  marks?: { x: number; label: string }[];
}

/** Texts, each letter shaded by what it adds to the score. */
export interface Strings {
  strings: { name: string; letters: string[]; values: number[]; score: number; of: string; truth?: string; predicted?: string }[]; // of: what the score is of
}

/** Graphs as drawings: positions are given. */
export interface Graphs {
  graphs: {
    name: string;
    x: number[];
    y: number[];
    labels?: string[];
    edges: [number, number][];
    values?: number[]; // of the nodes: contributions, entries of an eigenvector
    score?: number;
    of?: string; // what the score is of
    truth?: string;
    predicted?: string;
    like?: { name: string; k: number }[]; // the most similar training graphs
  }[];
  value: string; // what the values are
  diverging: boolean; // of both signs
}

/** Two numbers under one normal distribution: the joint ellipses, and one given the other. */
export interface Bivariate {
  x: Axis;
  y: Axis;
  mean: [number, number];
  covariance: [number, number, number]; // xx, xy, yy
  ellipses: { level: number; x: number[]; y: number[] }[];
  given: { x: number; mean: number; sd: number };
  conditional: { at: Numbers; density: Numbers; prior: Numbers };
}

export interface ProofTree {
  statement: string;
  rule: string;
  because: string;
  conditions: string;
  citation: string;
  premises: ProofTree[];
}

export interface Counterexample {
  points: string[];
  c: number[];
  value: number; // c'Kc < 0
  matrix?: number[][];
}
export type ProofData = { proof: ProofTree } | { counterexample: Counterexample; words: string };

/** Names and what they are: how a fit went, what a parameter is in the units of the data. */
export interface Facts {
  rows: { name: string; value: string; words?: string; good?: boolean }[];
}

export interface TableData {
  columns: string[];
  rows: (string | number | null)[][];
  more?: number; // rows that are not shown
}

export interface ChartData {
  curve: Curve;
  curves: Curves;
  calibration: Calibration;
  surface: Surface;
  tuning: TuningGrid;
  predicted_actual: PredictedActual;
  residuals: Residuals;
  bars: Bars;
  path: Path;
  regions: Regions;
  roc: Roc;
  precision_recall: PrecisionRecall;
  cutoff: Cutoff;
  reliability: Reliability;
  confusion: Confusion;
  densities: Densities;
  scree: Scree;
  embedding: Embedding;
  shepard: Shepard;
  silhouette: Silhouette;
  gram: GramPicture;
  spectrum: Spectrum;
  histogram: Histogram;
  strings: Strings;
  graphs: Graphs;
  bivariate: Bivariate;
  proof: ProofData;
  facts: Facts;
  table: TableData;
}
export type ChartKind = keyof ChartData;

// ---- A document: the report, the gallery ----

export interface Metric {
  name: string;
  value: number | null;
  low?: number;
  high?: number;
  words: string; // "share of points whose class is right"
}

export interface Worry {
  level: "note" | "warning";
  what: string;
  why: string;
  advice: string;
}

export interface Code {
  command: string;
  cpp: string;
  python: string;
}

export interface Section {
  id: string;
  title: string;
  words: string[]; // paragraphs
  exhibits: Exhibit[];
}

export interface Document {
  kind: "report" | "gallery";
  title: string;
  subtitle: string;
  /** How the figures were got: "held-out data", "leave-one-out", "5 folds, fitted anew". */
  evidence?: string;
  metrics?: Metric[];
  worries?: Worry[];
  sections: Section[];
  code?: Code;
  made: string; // "Mercer 0.1.0"
}
