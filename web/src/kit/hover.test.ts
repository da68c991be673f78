// @vitest-environment jsdom
import { beforeAll, expect, it, vi } from "vitest";
import { standInCanvas } from "../../tests/canvas";
import { charts } from "../charts";
import { clear, GridIndex } from "./hover";
import { theme } from "./theme";

beforeAll(standInCanvas);

it("finds the nearest point as a look at all of them does", () => {
  let seed = 1;
  const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const x = Float64Array.from({ length: 500 }, () => 300 * next());
  const y = Float64Array.from({ length: 500 }, () => 200 * next());
  x[17] = NaN;
  const index = new GridIndex(x, y, 300, 200);
  for (let k = 0; k < 200; ++k) {
    const [px, py] = [320 * next() - 10, 220 * next() - 10];
    const far = (i: number) => (Number.isNaN(x[i]) ? Infinity : Math.hypot(x[i] - px, y[i] - py));
    const best = Array.from(x, (_, i) => i).reduce((a, b) => (far(b) < far(a) ? b : a));
    expect(index.nearest(px, py, 22)).toBe(far(best) <= 22 ? best : null);
  }
});

const data = {
  x: { label: "a", domain: [0, 10] as [number, number] },
  y: { label: "b", domain: [0, 10] as [number, number] },
  at: [],
  lines: [],
  points: { x: [2, 5, 8], y: [2, 5, 8], draggable: true },
};
function picture(handlers: object): { el: HTMLElement; root: HTMLElement } {
  const el = document.createElement("div");
  document.body.replaceChildren(el);
  charts.curve!.draw(el, data, theme(), handlers);
  return { el, root: el.querySelector<HTMLElement>(".plot")! };
}
const key = (root: HTMLElement, name: string) => root.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));

it("walks, moves and removes points by keys", () => {
  const drag = vi.fn();
  const remove = vi.fn();
  const { el, root } = picture({ drag, remove });
  key(root, "ArrowRight");
  key(root, "ArrowRight");
  expect(el.querySelector("[aria-live]")!.textContent).toContain("a: 5");
  key(root, "Enter");
  key(root, "ArrowUp");
  const [index, x, y, done] = drag.mock.calls[0];
  expect([index, done]).toEqual([1, true]);
  expect(x).toBeCloseTo(5);
  expect(y).toBeGreaterThan(5);
  key(root, "Delete");
  expect(remove).toHaveBeenCalledWith(1);
});

it("goes on dragging, and keeps the focus, when the picture is drawn anew meanwhile", () => {
  const drag = vi.fn();
  const { el, root } = picture({ drag });
  const circle = root.querySelector(".focus-ring")!;
  key(root, "ArrowRight"); // tells where the first point stands
  const [x, y] = ["cx", "cy"].map((name) => Number(circle.getAttribute(name)));
  const at = (type: string, dx: number) => new MouseEvent(type, { clientX: x + dx, clientY: y, bubbles: true, button: 0 });
  root.dispatchEvent(at("pointerdown", 0));
  window.dispatchEvent(at("pointermove", 30));
  charts.curve!.draw(el, data, theme(), { drag });
  expect(document.activeElement).toBe(el.querySelector(".plot"));
  window.dispatchEvent(at("pointermove", 60));
  window.dispatchEvent(at("pointerup", 60));
  window.dispatchEvent(at("pointermove", 90)); // after the end nothing is said
  expect(drag.mock.calls.map(([index, , , done]) => [index, done])).toEqual([[0, false], [0, false], [0, true]]);
  expect(drag.mock.calls[2][1]).toBeGreaterThan(drag.mock.calls[0][1]);
});

it("adds a point by a click beside the others, not by the end of a drag", () => {
  const drag = vi.fn();
  const add = vi.fn();
  const { root } = picture({ drag, add });
  key(root, "ArrowRight");
  const [x, y] = ["cx", "cy"].map((name) => Number(root.querySelector(".focus-ring")!.getAttribute(name)));
  const at = (type: string, dx: number) => new MouseEvent(type, { clientX: x + dx, clientY: y, bubbles: true, button: 0 });
  root.dispatchEvent(at("pointerdown", 0));
  window.dispatchEvent(at("pointermove", 60));
  window.dispatchEvent(at("pointerup", 60));
  root.dispatchEvent(at("click", 60));
  expect(add).not.toHaveBeenCalled();
  root.dispatchEvent(at("pointerdown", 60));
  root.dispatchEvent(at("click", 60));
  expect(add).toHaveBeenCalledTimes(1);
  expect(add.mock.calls[0][0]).toBeGreaterThan(2);
  expect(add.mock.calls[0][1]).toBeCloseTo(2);
});

it("empties an element without a plot", () => {
  const el = document.createElement("div");
  el.append("old");
  clear(el);
  expect(el.textContent).toBe("");
});
