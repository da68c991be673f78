// What the stand-in says. Its curves are weighted means: enough to look at, nothing to believe.
import { readFileSync } from "node:fs";

const catalog = JSON.parse(readFileSync(new URL("./catalog.json", import.meta.url), "utf8")) as {
  version: string;
  folder: string;
  kernels: { name: string; formula: string }[];
};

interface Points {
  x: number[];
  y: number[];
  labels?: string[];
}
const n = (value: unknown, otherwise: number) => (typeof value === "number" ? value : otherwise);
const range = (low: number, high: number, count: number) => Array.from({ length: count }, (_, i) => low + ((high - low) * i) / (count - 1));
function noise(seed: number): () => number {
  let state = seed * 2654435761 + 12345;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

function moons(): Points {
  const random = noise(3);
  const points: Required<Points> = { x: [], y: [], labels: [] };
  for (let i = 0; i < 100; ++i) {
    const t = (Math.PI * (i % 50)) / 49;
    const upper = i < 50;
    points.x.push((upper ? Math.cos(t) : 1 - Math.cos(t)) + 0.3 * random());
    points.y.push((upper ? Math.sin(t) : 0.5 - Math.sin(t)) + 0.3 * random());
    points.labels.push(upper ? "upper" : "lower");
  }
  return points;
}
function curve(): Points {
  const random = noise(5);
  const x = range(-3, 3, 24).map((v) => v + 0.1 * random());
  return { x, y: x.map((v) => Math.sin(2 * v) + 0.3 * random()) };
}

function params(expr: string, set: Record<string, number> = {}) {
  return [...expr.matchAll(/([a-z_]+)\(([^()]*)\)/g)].flatMap(([, kernel, list]) =>
    list
      .split(",")
      .map((pair) => pair.split("=").map((part) => part.trim()))
      .filter(([name, value]) => value !== undefined && name !== "degree" && name !== "nu")
      .map(([name, value]) => ({
        path: `${kernel}.${name}`,
        value: set[`${kernel}.${name}`] ?? Number(value),
        lower: 0,
        upper: null,
        fixed: false,
        automatic: value === "auto",
      })),
  );
}
const withParams = (expr: string, set: Record<string, number> = {}) =>
  Object.entries(set).reduce((text, [path, value]) => {
    const [kernel, name] = path.split(".");
    return text.replace(new RegExp(`(${kernel}\\([^()]*${name}=)[^,)]*`), `$1${value}`);
  }, expr);
const width = (body: Record<string, unknown>) => params(String(body.expr), body.params as never).find((p) => p.path.endsWith("ell"))?.value ?? 1;
const code = (body: Record<string, unknown>) => ({
  command: `mercer fit ${body.machine ?? "gp"} data.csv --kernel '${body.expr}' -o m.mercer`,
  cpp: `Kernel k = parse("${body.expr}");`,
  python: `mercer.fit("${body.machine ?? "gp"}", kernel="${body.expr}")`,
});

function check(body: Record<string, unknown>) {
  const expr = String(body.expr);
  if (/^sin\(x\)/.test(expr))
    return {
      words: "k(x, y) is not k(y, x): at x = 1, y = -1 it is 0.455, and the other way round -0.455.",
      counterexample: { points: ["1", "-1"], c: [1, -1], value: -0.9, matrix: [[0.45, 0.45], [-0.45, -0.45]] },
    };
  const depth = (expr.match(/\(/g)?.length ?? 0) - (expr.match(/\)/g)?.length ?? 0);
  if (depth !== 0 || expr.trim() === "")
    return { error: `column ${expr.length + 1}: expected a number or ")", found the end`, position: expr.length, expected: ["a number", '")"'] };
  const str = withParams(expr, body.params as never);
  const leaf = (statement: string) => ({ statement, rule: statement.replace(/\(.*/, ""), because: "exp(-t psi) is a kernel for t >= 0", conditions: "ell > 0", citation: "Schoenberg 1938", premises: [] });
  const parts = str.split(/\s*\+\s*/);
  const proof = parts.length > 1
    ? { statement: str, rule: "sum", because: "a sum of kernels is a kernel: c'(K1+K2)c = c'K1c + c'K2c", conditions: "", citation: "Aronszajn 1950", premises: parts.map(leaf) }
    : leaf(str);
  return { str, proof, params: params(expr, body.params as never) };
}

function exhibit(id: string, kind: string, title: string, finding: string, data: object) {
  return { id, kind, title, finding, data };
}

function fit(body: Record<string, unknown>) {
  const points = (body.points ?? moons()) as Points;
  if (points.x.length === 0) throw new Error("there are no points");
  const ell = width(body);
  const near = (dx: number, dy = 0) => Math.exp(-(dx * dx + dy * dy) / (2 * ell * ell));
  const box = (body.box ?? [-2, 3, -1.5, 2]) as number[];
  const marks = { x: points.x, y: points.y };
  let picture;
  if (points.labels) {
    const classes = [...new Set(points.labels)];
    const [xs, ys] = [range(box[0], box[1], 60), range(box[2], box[3], 60)];
    const field = ys.flatMap((y) => xs.map((x) => points.x.reduce((sum, px, i) => sum + (points.labels![i] === classes[0] ? -1 : 1) * near(px - x, points.y[i] - y), 0)));
    picture = exhibit("regions", "regions", "Which class where", `${points.x.length} points; ell is ${ell}.`, {
      x: { label: "x" }, y: { label: "y" }, nx: 60, ny: 60, box, classes, field,
      winner: field.map((v) => (v < 0 ? 0 : 1)), sure: field.map((v) => Math.min(1, Math.abs(v))),
      levels: [{ value: 0, name: "boundary" }, { value: -1, name: "margin", dash: true }, { value: 1, name: "margin", dash: true }],
      points: { ...marks, group: points.labels.map((l) => classes.indexOf(l)), classes, alpha: points.x.map((_, i) => (i % 5 ? 0 : 1)), draggable: true },
    });
  } else {
    const at = range(box[0], box[1], 120);
    const mean = at.map((x) => {
      const w = points.x.map((px) => near(px - x) + 1e-9);
      return w.reduce((sum, v, i) => sum + v * points.y[i], 0) / w.reduce((sum, v) => sum + v, 0);
    });
    const sd = at.map((x) => 1.5 / Math.sqrt(1 + 4 * points.x.reduce((sum, px) => sum + near(px - x), 0)));
    const bands = [0.5, 0.95].map((level) => ({ level, of: "f", low: mean.map((m, i) => m - (level > 0.9 ? 1.96 : 0.67) * sd[i]), high: mean.map((m, i) => m + (level > 0.9 ? 1.96 : 0.67) * sd[i]) }));
    picture = exhibit("curve", "curve", "What it says in between", `Bands hold 93 % of the left-out points; ell is ${ell}.`, {
      x: { label: "x", domain: [box[0], box[1]] }, y: { label: "y", domain: [box[2] - 0.5, box[3] + 0.5] }, at, lines: [{ name: "mean", y: mean }], bands, points: { ...marks, draggable: true },
    });
  }
  const learnt = body.learn ? { "rbf.ell": 0.7 } : (body.params as never);
  const facts = exhibit("certificate", "facts", "Certificate", "Optimal to the tolerance.", { rows: [{ name: "gap", value: "1e-9", good: true }, { name: "stopped", value: "optimal" }] });
  return {
    model: { id: "m1", machine: body.machine, kernel: withParams(String(body.expr), learnt), words: "a model", outcome: "optimal after 12 iterations in 3 ms" },
    metrics: [
      { name: points.labels ? "accuracy" : "rmse", value: 0.94, low: 0.89, high: 0.97, words: "share of points whose class is right" },
      { name: "log loss", value: 0.21, words: "mean of minus the logarithm of the probability of the truth" },
    ],
    params: params(String(body.expr), learnt),
    remarks: ["inputs are used as they are"],
    exhibits: [picture, facts],
    code: code(body),
    seconds: 0.003,
    how: "leave-one-out",
  };
}

const hostile = "</script><img src=x onerror=alert(1)>";

function data(name: string) {
  const points = name === "curve" ? curve() : name === "moons" || name.startsWith("mock") ? moons() : moons();
  if (name === "hostile" && points.labels) points.labels = points.labels.map((label) => (label === "upper" ? hostile : label));
  const names = name === "hostile" ? [hostile, "\u202ey", "🦊".repeat(50)] : points.labels ? ["x", "y", "class"] : ["x", "y"];
  const numbers = (label: string, values: number[]) => ({ name: label, kind: "number", why: "", missing: 0, distinct: values.length, low: Math.min(...values), high: Math.max(...values), histogram: { edges: range(-2, 2, 9), counts: [1, 4, 9, 14, 13, 8, 4, 2] } });
  return {
    id: `d-${name}`, name, rows: points.x.length, points,
    columns: [numbers(names[0], points.x), numbers(names[1], points.y), ...(points.labels ? [{ name: names[2], kind: "yes/no", why: "", missing: 0, distinct: 2, low: null, high: null, histogram: null }] : [])],
    preview: { columns: names, rows: points.x.slice(0, 8).map((x, i) => [x, points.y[i], ...(points.labels ? [points.labels[i]] : [])]) },
    suggested: { target: names[names.length - 1], machine: points.labels ? "svc" : "gp", kernel: "rbf(ell=auto)" },
  };
}

function route(method: string, path: string, body: Record<string, unknown>, name: string): unknown {
  const ell = width({ expr: "", ...body });
  if (method === "GET" && path === "/catalog") return catalog;
  if (path === "/session") return { version: catalog.version, folder: catalog.folder, open: null };
  if (path === "/check") return check(body);
  if (path === "/complete") {
    const before = String(body.expr).slice(0, n(body.cursor, 0));
    const word = /[a-z_]*$/.exec(before)![0];
    return { from: before.length - word.length, candidates: word ? catalog.kernels.filter((k) => k.name.startsWith(word)).map((k) => ({ text: `${k.name}(`, words: k.formula })) : [] };
  }
  const at = range(-3, 3, 80);
  if (path === "/kernel")
    return { str: body.expr, code: code(body), exhibits: [exhibit("kernel", "curve", "Similarity over distance", `Half as similar at a distance of ${(1.18 * ell).toFixed(2)}.`, { x: { label: "distance" }, y: { label: "k(0, r)" }, at, lines: [{ name: "k", y: at.map((r) => Math.exp((-r * r) / (2 * ell * ell))) }] })] };
  if (path === "/prior") {
    const lines = range(1, n(body.draws, 2), n(body.draws, 2)).map((k) => {
      const random = noise(n(body.seed, 1) * 31 + k);
      const waves = range(0, 5, 6).map(() => [random() * 2, random() * 4 / ell, random() * 6]);
      return { name: `draw ${k}`, group: k - 1, y: at.map((x) => waves.reduce((sum, [a, w, p]) => sum + a * Math.sin(w * x + p), 0)) };
    });
    return exhibit("prior", "curve", "Functions drawn from it", `${lines.length} functions that the kernel believes in before it has seen data.`, { x: { label: "x" }, y: { label: "f(x)" }, at, lines });
  }
  if (path === "/gram") {
    const { x, y } = data(String(body.data ?? "").replace("d-", "")).points;
    const values = x.flatMap((a, i) => x.map((b, j) => Math.exp(-((a - b) ** 2 + (y[i] - y[j]) ** 2) / (2 * ell * ell))));
    return exhibit("gram", "gram", "The matrix of all pairs", `${x.length} x ${x.length}, ${body.order}.`, { size: x.length, n: x.length, values, order: "by class", rows: x.map((_, i) => i + 1) });
  }
  if (path === "/data") return data(String(body.builtin ?? (decodeURIComponent(name) || "mock")));
  if (path === "/files") return { folder: "mock", files: [{ name: "iris.csv", bytes: 4551 }] };
  if (path === "/files/open") return data(String(body.name));
  if (path === "/save") return { path: String(body.name) };
  return null;
}

export const answers = { fit, route };
