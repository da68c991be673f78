// The colours and letters of the pictures: those of the page (style.css), read once and again when they change.
import { color } from "d3-color";

export type Shape = "circle" | "triangle" | "square" | "diamond" | "down" | "plus" | "cross" | "star";

export interface Theme {
  dark: boolean;
  ink: string;
  muted: string;
  grid: string;
  paper: string;
  accent: string;
  warning: string;
  /** Colours of groups (Okabe and Ito), and the same dark (or light) enough for text. Beyond eight they begin anew: use `group()`. */
  groups: string[];
  groupsText: string[];
  /** With the colours, never colour alone. */
  shapes: Shape[];
  dashes: number[][];
  /** Ramps: t from 0 to 1; diverging has its middle at 0.5. */
  sequential(t: number): string;
  diverging(t: number): string;
  /** The same as 256 x RGBA, for pictures of many cells. */
  ramps: { sequential: Uint8ClampedArray; diverging: Uint8ClampedArray };
  font: string; // family
  mono: string;
  size: number; // of the letters on axes, in pixels
  /** No movement, please. */
  still: boolean;
}

const shapes: Shape[] = ["circle", "triangle", "square", "diamond", "down", "plus", "cross", "star"];
const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 4], [12, 4], [1, 2], [6, 2, 2, 2, 2, 2]];

// Light at one end and dark at the other in grey, too; the end far from the paper is the large one.
const stops = {
  light: {
    sequential: ["#f3f6f5", "#d2e5ea", "#9ccad9", "#5ba6c6", "#2a7daf", "#155891", "#0b3467"],
    diverging: ["#08508f", "#3f8bc1", "#9fc7e0", "#f3f2ef", "#f3be93", "#d8772f", "#963f00"],
  },
  dark: {
    sequential: ["#1a1f27", "#173a55", "#1b5c86", "#2d85b3", "#63aecd", "#a6d4e1", "#eff8f7"],
    diverging: ["#8cc8f2", "#4a94cb", "#255a86", "#22262d", "#81461c", "#cf7a35", "#ffbe86"],
  },
};

export function rgb(colour: string): [number, number, number] {
  const { r, g, b } = color(colour)?.rgb() ?? { r: 128, g: 128, b: 128 };
  return [r, g, b];
}

function ramp(colours: string[]): Uint8ClampedArray {
  const parts = colours.map(rgb);
  const out = new Uint8ClampedArray(256 * 4);
  for (let k = 0; k < 256; ++k) {
    const place = (k / 255) * (parts.length - 1);
    const i = Math.min(parts.length - 2, Math.floor(place));
    for (let c = 0; c < 3; ++c) out[4 * k + c] = parts[i][c] + (place - i) * (parts[i + 1][c] - parts[i][c]);
    out[4 * k + 3] = 255;
  }
  return out;
}

/** Byte 0 to 255 of t in [0, 1]; what is not a number is 0. */
export const byte = (t: number): number => (t >= 1 ? 255 : t > 0 ? Math.round(255 * t) : 0);

const lookup = (table: Uint8ClampedArray) => (t: number) => {
  const k = 4 * byte(t);
  return `rgb(${table[k]},${table[k + 1]},${table[k + 2]})`;
};

const matches = (query: string): boolean => typeof matchMedia === "function" && matchMedia(query).matches;

export function readTheme(root: HTMLElement = document.documentElement): Theme {
  const style = getComputedStyle(root);
  const read = (name: string, otherwise: string) => style.getPropertyValue(`--${name}`).trim() || otherwise;
  const chosen = root.dataset.theme;
  const dark = chosen === "dark";
  const ramps = dark ? stops.dark : stops.light;
  const sequential = ramp(ramps.sequential);
  const diverging = ramp(ramps.diverging);
  const ink = read("ink", "#1d2126");
  return {
    dark,
    ink,
    muted: read("muted", "#5c636b"),
    grid: read("grid", "#e4e6e8"),
    paper: read("paper", "#ffffff"),
    accent: read("accent", "#0072b2"),
    warning: read("warning", "#b34e00"),
    groups: shapes.map((_, i) => read(`group-${i}`, ink)),
    groupsText: shapes.map((_, i) => read(`group-text-${i}`, ink)),
    shapes,
    dashes,
    sequential: lookup(sequential),
    diverging: lookup(diverging),
    ramps: { sequential, diverging },
    font: read("font", "sans-serif"),
    mono: read("mono", "monospace"),
    size: 12,
    still: matches("(prefers-reduced-motion: reduce)"),
  };
}

export interface GroupLook {
  colour: string;
  text: string;
  shape: Shape;
  dash: number[];
}

/** The look of group i; beyond eight the shapes move on against the colours, so that no two of 64 are alike. */
export function group(theme: Theme, i: number): GroupLook {
  const n = theme.groups.length;
  const colour = ((i % n) + n) % n;
  const other = (colour + Math.floor(i / n)) % n;
  return {
    colour: theme.groups[colour],
    text: theme.groupsText[colour],
    shape: theme.shapes[other],
    dash: theme.dashes[other],
  };
}

/** A colour with an opacity, for canvas and SVG alike. */
export function fade(colour: string, opacity: number): string {
  const [r, g, b] = rgb(colour);
  return `rgba(${Math.round(r)},${Math.round(g)},${Math.round(b)},${opacity})`;
}

/** Black or white: what can be read on a colour. The better of the two has a contrast of 4.58 at least. */
export function readable(background: string): string {
  const [r, g, b] = rgb(background).map((value) => ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
}

// ---- The theme of the page: one, shared, replaced when the person or the system asks for the other ----

let current: Theme | undefined;
const listeners = new Set<(theme: Theme) => void>();

export function theme(): Theme {
  return (current ??= readTheme());
}

/** Returns a function that ends the listening. */
export function onTheme(listener: (theme: Theme) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function renew(): void {
  current = readTheme();
  for (const listener of [...listeners]) listener(current);
}

let wished: "light" | "dark" | null = null;
const preferred = (): "light" | "dark" => wished ?? (matches("(prefers-color-scheme: dark)") ? "dark" : "light");
function wear(name: "light" | "dark"): void {
  document.documentElement.dataset.theme = name;
  renew();
}

/** null: as the system has it. */
export function chooseTheme(name: "light" | "dark" | null): void {
  wished = name;
  wear(preferred());
}

/** Call once a page, before the first picture. Paper is white. */
export function watchTheme(): void {
  chooseTheme(wished);
  if (typeof matchMedia !== "function") return;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => wear(preferred()));
  matchMedia("(prefers-reduced-motion: reduce)").addEventListener("change", renew);
  addEventListener("beforeprint", () => wear("light"));
  addEventListener("afterprint", () => wear(preferred()));
}
