// Small curves beside each other: components of a sum, partial dependence, draws for several parameters.
import type { Chart } from "../kit/chart";
import { h } from "../kit/dom";
import { clear } from "../kit/hover";
import { legend } from "../kit/legend";
import { extent } from "../kit/numbers";
import { panels } from "../kit/plot";
import { curve, curveDomains, curveLegend, drawCurve } from "./curve";
import type { Curves } from "./types";

export const curves: Chart<Curves> = {
  draw(el, data, theme, handlers) {
    clear(el);
    const domains = data.panels.map((panel) => curveDomains(panel.curve));
    const ys = data.sharedY && domains.length ? extent(...domains.map((each) => each.ys)) : undefined;
    // One legend where all panels mean the same by their marks.
    const legends = data.panels.map((panel) => curveLegend(panel.curve, theme));
    const same = legends.every((items) => items.map((item) => item.name).join("\n") === legends[0].map((item) => item.name).join("\n"));
    if (legends.length && same) legend(el, legends[0]);
    const cells = panels(el, data.panels.length, data.panels.length > 6 ? 200 : 240, data.columns ?? 4);
    data.panels.forEach((panel, i) => {
      cells[i].el.append(h("h4", null, panel.title));
      if (panel.note) cells[i].el.append(h("p", { class: "note" }, panel.note));
      const { width } = cells[i];
      drawCurve(cells[i].el, panel.curve, theme, handlers, { ys, width, height: Math.round(Math.max(170, Math.min(260, width * 0.68))), legend: !same });
    });
  },
  table(data) {
    const tables = data.panels.map((panel) => ({ title: panel.title, table: curve.table(panel.curve) }));
    const names = [...new Set(tables.flatMap(({ table }) => table.columns))];
    const more = tables.reduce((sum, { table }) => sum + (table.more ?? 0), 0);
    return {
      columns: ["panel", ...names],
      rows: tables.flatMap(({ title, table }) =>
        table.rows.map((row) => [title, ...names.map((name) => row[table.columns.indexOf(name)] ?? null)]),
      ),
      ...(more ? { more } : {}),
    };
  },
};
