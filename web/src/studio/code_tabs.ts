// How to get the same without this page, folded away until one asks. It follows the picture and keeps the chosen language.
import type { Code } from "../charts/types";
import { codeTabs } from "../kit/code";
import { h } from "../kit/dom";

export class CodeTabs {
  readonly el: HTMLDetailsElement;
  private readonly place = h("div");
  private code: Code | null = null;
  private shown = "";

  constructor() {
    this.el = h("details", { class: "reproduce" }, h("summary", null, "Reproduce this: command, Python, C++"), this.place);
    this.el.hidden = true;
    this.el.addEventListener("toggle", () => this.fill());
  }

  show(code: Code | null | undefined): void {
    this.code = code ?? null;
    this.el.hidden = !code;
    this.fill();
  }

  private fill(): void {
    const text = JSON.stringify(this.code);
    if (!this.code || !this.el.open || text === this.shown) return;
    this.shown = text;
    const tabs = () => [...this.place.querySelectorAll<HTMLElement>("[role=tab]")];
    const chosen = tabs().findIndex((tab) => tab.getAttribute("aria-selected") === "true");
    this.place.replaceChildren(codeTabs(this.code));
    tabs()[chosen]?.click();
  }
}
