// True positives over false ones at every cut-off; the diagonal is guessing.
import { line, type Chart } from "../kit";
import { drawCurves, tableOf } from "./class_curves";
import type { Roc } from "./types";

const words = { x: "false positive rate", y: "true positive rate", area: "area" };

export const roc: Chart<Roc> = {
  draw: (el, data, theme) => drawCurves(el, data.curves, words, theme, (p) => line(p, [0, 1], [0, 1], { colour: theme.muted, width: 1, dash: [3, 4] })),
  table: (data) => tableOf(data.curves, words),
};
