// Kernels as pictures: functions drawn from each, so that one sees what it believes in.
import type { Curve, Exhibit } from "../charts/types";
import { h, s } from "../kit/dom";
import { unpack } from "../kit/numbers";
import type { Api } from "./api";
import { Choices } from "./choices";

export interface Card {
  name: string;
  expr: string;
  words: string;
}

const common: Card[] = [
  { name: "rbf", expr: "rbf(ell=1)", words: "smooth" },
  { name: "matern", expr: "matern(nu=1.5, ell=1)", words: "bends" },
  { name: "exponential", expr: "exponential(ell=1)", words: "rough" },
  { name: "rq", expr: "rq(ell=1, alpha=1)", words: "many widths" },
  { name: "linear", expr: "linear() + const(c=1)", words: "straight" },
  { name: "poly", expr: "poly(degree=3, c=1)", words: "polynomials" },
];
export const cards: Record<"classes" | "curve", Card[]> = {
  classes: [...common, { name: "rbf + linear", expr: "rbf(ell=0.5) + linear()", words: "bumps on a slope" }],
  curve: [
    ...common,
    { name: "periodic", expr: "periodic(period=2, ell=1)", words: "repeats" },
    { name: "periodic × rbf", expr: "periodic(period=2, ell=1)*rbf(ell=3)", words: "repeats for a while" },
  ],
};

/** Names of the kernels in an expression, in order: what makes two expressions the same card. */
export const shape = (expr: string): string => (expr.match(/[a-z_]+(?=\()|[+*]/g) ?? []).join("");

function thumbnail(exhibit: Exhibit): SVGElement {
  const { at, lines } = exhibit.data as Curve;
  const x = unpack(at);
  const ys = lines.map((line) => unpack(line.y));
  const top = Math.max(1e-9, ...ys.map((y) => Math.max(...y.map(Math.abs))));
  const px = (i: number) => 2 + (76 * (x[i] - x[0])) / (x[x.length - 1] - x[0]);
  const path = (y: Float64Array) => [...y].map((v, i) => `${i ? "L" : "M"}${px(i).toFixed(1)} ${(20 - (17 * v) / top).toFixed(1)}`).join("");
  return s(
    "svg",
    { viewBox: "0 0 80 40", "aria-hidden": "true" },
    ...ys.map((y, i) => s("path", { d: path(y), class: `draw-${i}` })),
  );
}

export class Cards {
  readonly el: HTMLElement;
  private readonly choices: Choices<string>;
  private readonly pictures = new Map<string, Promise<Exhibit>>();

  constructor(
    private readonly api: Pick<Api, "prior">,
    chosen: (expr: string) => void,
  ) {
    this.choices = new Choices<string>("Kernel: what counts as similar", chosen, "cards");
    this.el = this.choices.el;
  }

  show(task: "classes" | "curve", expr: string): void {
    const now = cards[task];
    const mine = now.find((card) => shape(card.expr) === shape(expr));
    this.choices.show(
      now.map((card) => {
        const place = h("span", { class: "thumb" });
        let picture = this.pictures.get(card.expr);
        if (!picture) {
          picture = this.api.prior(card.expr, {}, [-3, 3, 80], 2, 4);
          this.pictures.set(card.expr, picture);
        }
        // A card without a picture is still a card.
        picture.then(
          (exhibit) => place.replaceChildren(thumbnail(exhibit)),
          () => this.pictures.delete(card.expr),
        );
        return { value: card.expr, content: [place, h("strong", null, card.name), h("small", null, card.words)], title: card.expr };
      }),
      mine?.expr ?? "",
    );
  }
}
