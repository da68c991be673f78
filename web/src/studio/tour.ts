// Two minutes on what a kernel is. One step at a time beside the page, which stays usable: each step sets the scene by an
// address, points at what to look at and says what to try. Escape ends it.
import { h } from "../kit/dom";

export interface Step {
  title: string;
  words: string[];
  /** What to try; the page answers at once. */
  advice?: string;
  /** The address that sets the scene. */
  hash: string;
  /** What is pointed at. */
  target: string;
}

export const steps: Step[] = [
  {
    title: "A kernel says how similar two things are",
    words: [
      "k(x, y) is a number: large when x and y are alike, small when they are not. That is all a kernel machine ever asks about your data.",
      "Here similarity fades with distance. At distance 0 it is largest.",
    ],
    advice: "Read off the curve: how far apart are two points that are half as similar?",
    hash: "#kernel?expr=rbf(ell=1)&seed=1",
    target: ".screen.kernel .gallery > :nth-child(1)",
  },
  {
    title: "ell is how far similarity reaches",
    words: ["With a small ell only close neighbours count; with a large one nearly everything is alike."],
    advice: "Drag the slider (or focus it and press the arrow keys) and watch all the pictures.",
    hash: "#kernel?expr=rbf(ell=1)&seed=1",
    target: ".screen.kernel .sliders",
  },
  {
    title: "What it believes before it has seen data",
    words: ["A kernel that calls neighbours alike believes in functions that change slowly. These are random functions drawn from it."],
    advice: "Press “Another draw” a few times. Then make ell small and look again.",
    hash: "#kernel?expr=rbf(ell=0.4)&seed=2",
    target: ".screen.kernel .gallery > :nth-child(2)",
  },
  {
    title: "Sums and products of kernels are kernels",
    words: [
      "periodic says: alike after every period. Times rbf: but only for a while. Plus linear: and there is a trend.",
      "So you put together what you know of your data.",
    ],
    advice: "Change the expression. Suggestions come while you type.",
    hash: "#kernel?expr=periodic(period=2,+ell=1)*rbf(ell=3)+%2B+linear()&seed=1",
    target: ".screen.kernel .kernel-box",
  },
  {
    title: "Why it is allowed: the proof",
    words: [
      "Not every formula is a kernel. c'Kc must never be negative, or the machines break. Mercer proves it from rules that you can unfold.",
      "For a formula that is none, it shows points that refute it.",
    ],
    advice: "Press the example sin(x)*cos(y).",
    hash: "#kernel?expr=rbf(ell=1)+%2B+linear()&seed=1",
    target: ".screen.kernel .kernel-box",
  },
  {
    title: "From similarity to prediction",
    words: [
      "A prediction is a weighted sum of similarities to the points that were seen: f(x) = a₁ k(x₁, x) + a₂ k(x₂, x) + … Where there are no points near, the band is wide: it does not know.",
    ],
    advice: "Drag a point up. Click where there is none.",
    hash: "#play?task=curve&data=curve&machine=gp&kernel=rbf(ell=1)&o.noise=0.05",
    target: ".screen.play .stage",
  },
  {
    title: "The same for classes",
    words: ["The support vector machine draws the border between two classes from the same similarities. The points with rings are the ones it needs."],
    advice: "Make ell small: it believes each point. Make it large: it sees one slope. Then “Let Mercer choose”.",
    hash: "#play?task=classes&data=moons&machine=svc&kernel=rbf(ell=0.5)&o.C=10",
    target: ".screen.play .tune",
  },
  {
    title: "Now with your data",
    words: ["Drop a file under Data, choose what to predict, fit, compare, and save a report. Every screen tells the command that does the same."],
    hash: "#data",
    target: ".screen.data .drop",
  },
];

const remembered = "mercer-tour";
/** Storage may be closed; then nothing is remembered and nothing is forced on anybody. */
function memory(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

export class Tour {
  readonly el: HTMLElement;
  private readonly title = h("h2", { id: "tour-title", tabindex: -1 });
  private readonly text = h("div", { class: "tour-text" });
  private readonly count = h("span", { class: "hint" });
  private readonly back = h("button", { type: "button" }, "Back");
  private readonly next = h("button", { type: "button", class: "main" }, "Next");
  private at = 0;
  private marked: Element | null = null;
  private from: Element | null = null;

  /** `go` shows an address, as a link would. */
  constructor(
    private readonly go: (hash: string) => void,
    private readonly storage: Pick<Storage, "getItem" | "setItem"> | null = memory(),
  ) {
    const skip = h("button", { type: "button", class: "quiet", onclick: () => this.end() }, "End the tour");
    this.back.addEventListener("click", () => this.show(this.at - 1));
    this.next.addEventListener("click", () => (this.at + 1 < steps.length ? this.show(this.at + 1) : this.end()));
    this.el = h(
      "aside",
      { class: "tour", role: "dialog", "aria-labelledby": "tour-title", "aria-modal": "false", hidden: true },
      this.title,
      this.text,
      h("div", { class: "row" }, this.count, this.back, this.next, skip),
    );
    addEventListener("keydown", (e) => {
      if (e.key === "Escape" && !this.el.hidden && !e.defaultPrevented) this.end();
    });
  }

  /** On the first start only, and only where that can be remembered. */
  offer(): boolean {
    try {
      if (!this.storage || this.storage.getItem(remembered)) return false;
    } catch {
      return false;
    }
    this.start();
    return true;
  }

  start(): void {
    this.from = document.activeElement;
    this.el.hidden = false;
    this.show(0);
  }

  end(): void {
    this.el.hidden = true;
    this.mark(null);
    try {
      this.storage?.setItem(remembered, "seen");
    } catch {
      // Full or closed: then it is offered again, which harms nobody.
    }
    if (this.from instanceof HTMLElement && this.from.isConnected) this.from.focus();
  }

  private show(at: number): void {
    this.at = Math.max(0, Math.min(steps.length - 1, at));
    const step = steps[this.at];
    this.go(step.hash);
    this.title.textContent = step.title;
    this.text.replaceChildren(...step.words.map((words) => h("p", null, words)), ...(step.advice ? [h("p", { class: "advice" }, step.advice)] : []));
    this.count.textContent = `${this.at + 1} of ${steps.length}`;
    this.back.disabled = this.at === 0;
    this.next.textContent = this.at + 1 < steps.length ? "Next" : "Done";
    this.mark(document.querySelector(step.target));
    this.title.focus({ preventScroll: true });
  }

  private mark(target: Element | null): void {
    this.marked?.classList.remove("tour-target");
    this.marked = target;
    target?.classList.add("tour-target");
    target?.scrollIntoView?.({ block: "center" });
  }
}
