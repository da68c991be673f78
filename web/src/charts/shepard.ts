// Distances of the map over the distances given: on the diagonal the map is true.
import { columns, domain, dots, hover, line, plot, text, unpack, write, type Chart } from "../kit";
import type { Shepard } from "./types";

export const shepard: Chart<Shepard> = {
  draw(el, data, theme) {
    el.replaceChildren();
    const [given, found] = [unpack(data.given), unpack(data.found)];
    const [, high] = domain({ label: "" }, [[0], given, found]);
    const width = Math.min(460, el.clientWidth || 460);
    const p = plot(el, { x: { label: "distance given" }, y: { label: "distance in the map" }, xs: [0, high], ys: [0, high], theme, width, height: width, equal: true });
    line(p, [0, high], [0, high], { colour: theme.muted, width: 1, dash: [3, 4] });
    dots(p, given, found, { colour: theme.groups[0], opacity: given.length > 600 ? 0.5 : 0.8 });
    write(p, p.left + p.width - 8, p.top + p.height - 10, `stress ${text(data.stress, 3)}`, { anchor: "end", weight: 600 });
    hover(p, { x: given, y: found, text: (i) => [`pair ${i + 1}`, `given ${text(given[i])}`, `in the map ${text(found[i])}`] });
  },
  table: (data) => columns(["given", unpack(data.given)], ["in the map", unpack(data.found)]),
};
