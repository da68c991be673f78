// Precision over recall at every cut-off; the thin line of a class is its share, which guessing reaches.
import { group, line, type Chart } from "../kit";
import { drawCurves, tableOf } from "./class_curves";
import type { PrecisionRecall } from "./types";

const words = { x: "recall", y: "precision", area: "mean precision" };

export const precisionRecall: Chart<PrecisionRecall> = {
  draw: (el, data, theme) =>
    drawCurves(el, data.curves, words, theme, (p) => data.base.forEach((share, i) => line(p, [0, 1], [share, share], { colour: group(theme, i).colour, width: 1, dash: [3, 4], opacity: 0.7 }))),
  table: (data) => tableOf(data.curves, words),
};
