// An exhibit on the page: title, picture, what it shows in words, and the same as a table.
import type { ChartKind, Exhibit } from "../charts/types";
import type { Chart, Handlers } from "./chart";
import { h } from "./dom";
import { clear } from "./hover";
import { savePicture } from "./save";
import { tableElement } from "./table";
import { onTheme, type Theme } from "./theme";

export type Charts = { [K in ChartKind]?: Chart<never> };

/** Draws, or says in one sentence why not: the rest of the page goes on. */
export function drawInto(el: HTMLElement, kind: string, charts: Charts, data: unknown, theme: Theme, handlers?: Handlers): void {
  const chart = charts[kind as ChartKind] as Chart<unknown> | undefined;
  try {
    if (!chart) throw new Error(`this page has no chart of kind "${kind}"`);
    clear(el);
    chart.draw(el, data, theme, handlers);
  } catch (error) {
    el.replaceChildren(h("p", { class: "broken" }, `This picture could not be drawn: ${error instanceof Error ? error.message : String(error)}.`));
  }
}

// Figures draw themselves when they come into view, and all of them before a print.
const waiting = new Map<Element, () => void>();
const come = (element: Element) => {
  const draw = waiting.get(element);
  waiting.delete(element);
  draw?.();
};
const sight =
  typeof IntersectionObserver === "function"
    ? new IntersectionObserver(
        (entries) => {
          for (const entry of entries) {
            if (!entry.isIntersecting) continue;
            sight!.unobserve(entry.target);
            come(entry.target);
          }
        },
        { rootMargin: "300px" },
      )
    : null;

export function drawAll(): void {
  for (const element of [...waiting.keys()]) come(element);
}
// Paper is narrower than most screens (style.css); the theme, which becomes light, makes all draw anew.
if (typeof addEventListener === "function") {
  addEventListener("beforeprint", () => {
    document.documentElement.classList.add("printing");
    drawAll();
  });
  addEventListener("afterprint", () => document.documentElement.classList.remove("printing"));
}

/** A number and its unit stay on one line: "95 %". */
const kept = (words: string): string => words.replace(/(\d) %/g, "$1\u00a0%");

/** The figure draws itself when scrolled into view, and anew when its width or the theme changes. */
export function figure(exhibit: Exhibit, charts: Charts, theme: Theme, handlers?: Handlers): HTMLElement {
  const id = `figure-${exhibit.id}`;
  const body = h("div", { class: "chart" });
  const status = h("div", { class: "table-place" });
  let drawn = false;
  let width = 0;
  let now = theme;
  const draw = () => {
    drawn = true;
    width = body.clientWidth;
    drawInto(body, exhibit.kind, charts, exhibit.data, now, handlers);
  };

  const chart = charts[exhibit.kind] as Chart<unknown> | undefined;
  const asTable = h("button", { type: "button", class: "quiet", "aria-expanded": "false", "aria-controls": `${id}-table` }, "Show as table");
  status.id = `${id}-table`;
  asTable.addEventListener("click", () => {
    const open = asTable.getAttribute("aria-expanded") === "true";
    asTable.setAttribute("aria-expanded", String(!open));
    asTable.textContent = open ? "Show as table" : "Hide table";
    if (open) return status.replaceChildren();
    try {
      status.replaceChildren(tableElement(chart!.table(exhibit.data), exhibit.title));
    } catch (error) {
      status.replaceChildren(h("p", { class: "broken" }, `This table could not be made: ${error instanceof Error ? error.message : String(error)}.`));
    }
  });
  const save = h("button", { type: "button", class: "quiet" }, "Save picture");
  save.addEventListener("click", () => void savePicture(element, exhibit.id, now));

  const element = h(
    "figure",
    { id, class: `exhibit kind-${exhibit.kind}`, "aria-labelledby": `${id}-title` },
    h("h3", { id: `${id}-title` }, exhibit.title),
    exhibit.finding ? h("figcaption", null, kept(exhibit.finding)) : null,
    body,
    chart && exhibit.kind !== "table" && exhibit.kind !== "facts" ? h("div", { class: "tools" }, asTable, save) : null,
    status,
  );

  waiting.set(element, draw);
  if (sight) sight.observe(element);
  else queueMicrotask(() => come(element));
  if (typeof ResizeObserver === "function") {
    let pending = 0;
    new ResizeObserver(() => {
      if (!drawn || body.clientWidth === width || !body.clientWidth) return;
      cancelAnimationFrame(pending);
      pending = requestAnimationFrame(draw);
    }).observe(body);
  }
  const stop = onTheme((changed) => {
    if (drawn && !element.isConnected) return stop();
    now = changed;
    if (drawn) draw();
  });
  return element;
}
