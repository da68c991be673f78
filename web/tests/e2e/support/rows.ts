// Data as text, the same ones every time.
export function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (1664525 * state + 1013904223) % 2 ** 32) / 2 ** 32;
}

const csv = (rows: (string | number)[][]): string =>
  rows.map((row) => row.map((cell) => (/[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(",")).join("\n") + "\n";

export function curve(n: number, names: [string, string] = ["x", "y"]): string {
  const random = numbers(n);
  return csv([names, ...Array.from({ length: n }, () => 6 * random() - 3).map((x) => [x.toFixed(4), (Math.sin(2 * x) + 0.4 * (random() - 0.5)).toFixed(4)])]);
}

export function moons(n: number, names = ["x", "y", "class"], classes = ["upper", "lower"]): string {
  const random = numbers(n);
  return csv([
    names,
    ...Array.from({ length: n }, (_, i) => {
      const t = Math.PI * random();
      const side = i % 2;
      const [x, y] = side ? [1 - Math.cos(t), 0.5 - Math.sin(t)] : [Math.cos(t), Math.sin(t)];
      return [(x + 0.4 * (random() - 0.5)).toFixed(4), (y + 0.4 * (random() - 0.5)).toFixed(4), classes[side]];
    }),
  ]);
}

/** What somebody may call a column or a class. Were one of them run, `window.hit` would be there. */
export const hostile = {
  markup: '</script><img src=x onerror="window.hit=1"><script>window.hit=1</script>',
  backwards: "\u202eesrever ni nmuloc\u2028",
  emoji: "🦊👩‍👩‍👧‍👦 ".repeat(20).trim(),
  long: "l" + "o".repeat(10_000) + "ng",
};
