// @vitest-environment jsdom
// What every chart owes whatever its data are: a picture, a table of whole rows, and words of users as words.
import { beforeAll, describe, expect, it } from "vitest";
import { marks, standInCanvas } from "../../tests/canvas";
import { theme, type Chart } from "../kit";
import { charts } from "./index";
import type { Exhibit } from "./types";

const files = import.meta.glob<Exhibit | Exhibit[]>("../../tests/specimens/*.json", { eager: true, import: "default" });
const specimens = Object.entries(files).flatMap(([file, held]) => {
  const list = Array.isArray(held) ? held : [held];
  return list.map((exhibit, i) => ({ ...exhibit, name: file.replace(/.*\//, "") + (list.length > 1 ? ` ${i + 1}` : "") }));
});

beforeAll(standInCanvas);

function draw(exhibit: { kind: Exhibit["kind"] }, data: unknown): { el: HTMLElement; rows: unknown[][]; columns: string[] } {
  const chart = charts[exhibit.kind] as unknown as Chart<unknown>;
  const el = document.createElement("div");
  document.body.replaceChildren(el);
  chart.draw(el, data, theme());
  return { el, ...chart.table(data) };
}

/** The data with every number array, number or word replaced; what is packed stays. */
function changed(data: unknown, change: { numbers?: (list: unknown[]) => unknown[]; word?: (word: string) => string }, key = ""): unknown {
  if (typeof data === "string") return change.word && !["f32", "u8"].includes(key) ? change.word(data) : data;
  if (Array.isArray(data)) {
    if (key === "u8" || key === "levels") return data; // packed; chosen by us
    if (change.numbers && data.length && data.every((value) => typeof value === "number" || value === null)) return change.numbers(data);
    return data.map((value) => changed(value, change, key));
  }
  if (data && typeof data === "object") return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, changed(value, change, name)]));
  return data;
}

describe.each(specimens)("$name", (exhibit) => {
  it("draws, the same again, and makes a table of whole rows", () => {
    const before = marks.count;
    const { el, rows, columns } = draw(exhibit, exhibit.data);
    expect(el.childElementCount).toBeGreaterThan(0);
    if (el.querySelector("canvas")) expect(marks.count).toBeGreaterThan(before + 5);
    const once = el.innerHTML;
    (charts[exhibit.kind] as unknown as Chart<unknown>).draw(el, exhibit.data, theme());
    expect(el.innerHTML).toBe(once);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toHaveLength(columns.length);
  });

  it("can be walked with the keys", () => {
    const { el } = draw(exhibit, exhibit.data);
    if (exhibit.kind === "facts") return; // words to be read, nothing to point at
    expect(el.querySelector("[tabindex='0'], input, button, select, summary")).not.toBeNull();
    for (const place of el.querySelectorAll<HTMLElement>("[tabindex='0']"))
      for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "End", "Escape"]) place.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  });

  it.each([
    ["markup", `</script><img src=x onerror=alert(1)><b>`],
    ["right to left", "שלום \u202e עולם"],
    ["emoji", "👩‍🔬🧪"],
    ["10 kB", "x".repeat(10_000)],
  ])("keeps hostile names as words: %s", (_, hostile) => {
    const data = changed(exhibit.data, { word: (word) => word + hostile });
    const { el, rows, columns } = draw(exhibit, data);
    expect(el.querySelector("img, script, iframe")).toBeNull();
    for (const row of rows) expect(row).toHaveLength(columns.length);
  });

  it("listens by functions, not by attributes that a strict policy refuses", () => {
    const { el } = draw(exhibit, exhibit.data);
    expect([...el.querySelectorAll("*")].some((each) => [...each.attributes].some(({ name }) => name.startsWith("on")))).toBe(false);
  });

  it("bears numbers that are none, all alike, huge, one, or missing", () => {
    for (const numbers of [(list: unknown[]) => list.map(() => null), (list: unknown[]) => list.map(() => 0), (list: unknown[]) => list.map(() => 1e300), (list: unknown[]) => list.slice(0, 1), () => []])
      expect(() => draw(exhibit, changed(exhibit.data, { numbers }))).not.toThrow();
  });
});
