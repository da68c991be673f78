// @vitest-environment jsdom
import { beforeAll, expect, it } from "vitest";
import { standInCanvas } from "../../tests/canvas";
import type { Exhibit } from "../charts/types";
import { charts } from "../charts";
import type { Chart } from "./chart";
import { drawAll, figure } from "./figure";
import { theme } from "./theme";

beforeAll(standInCanvas);

const hostile = ["</script><img src=x onerror=alert(1)>", "שלום\u202e", "👩‍🔬", "y".repeat(10_000)];
const exhibit = (kind: string, data: unknown, title = "t"): Exhibit => ({ id: kind, kind, title, finding: title, data }) as Exhibit;
function shown(element: HTMLElement): HTMLElement {
  document.body.append(element);
  drawAll();
  return element;
}

it("says in a sentence what a failing chart says, and lets the others be", () => {
  const bad: Chart<never> = {
    draw: () => {
      throw new Error("the data have no x");
    },
    table: () => {
      throw new Error("nor rows");
    },
  };
  const first = shown(figure(exhibit("curve", {}), { curve: bad }, theme()));
  const second = shown(figure(exhibit("table", { columns: ["a"], rows: [[1]] }), charts as never, theme()));
  expect(first.querySelector(".broken")!.textContent).toBe("This picture could not be drawn: the data have no x.");
  first.querySelector<HTMLButtonElement>(".tools button")!.click();
  expect(first.querySelector(".table-place")!.textContent).toContain("nor rows");
  expect(second.querySelector("td")!.textContent).toBe("1");
});

it("says that it has no such chart", () => {
  const element = shown(figure(exhibit("hologram", {}), charts as never, theme()));
  expect(element.textContent).toContain('no chart of kind "hologram"');
});

it("shows 200 rows of a table and says how many more there are", () => {
  const x = Array.from({ length: 1234 }, (_, i) => i);
  const data = { x: { label: "x" }, y: { label: "y" }, at: x, lines: [{ name: "f", y: x }] };
  const element = shown(figure(exhibit("curve", data), charts as never, theme()));
  const button = element.querySelector<HTMLButtonElement>(".tools button")!;
  button.click();
  expect(element.querySelectorAll("tbody tr")).toHaveLength(200);
  expect(element.querySelector(".more")!.textContent).toBe("200 rows are shown; there are 1034 more.");
  expect(button.getAttribute("aria-expanded")).toBe("true");
  button.click();
  expect(element.querySelector("table")).toBeNull();
});

it.each(hostile)("keeps a title as words", (name) => {
  const element = shown(figure(exhibit("table", { columns: [name], rows: [[name]] }, name), charts as never, theme()));
  expect(element.querySelector("h3")!.textContent).toBe(name);
  expect(element.querySelector("th")!.textContent).toBe(name);
  expect(element.querySelector("img, script")).toBeNull();
});
