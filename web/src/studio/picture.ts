// A picture that changes while one looks: the place stays, what is in it is drawn anew, once a frame.
import { charts } from "../charts";
import type { Exhibit } from "../charts/types";
import type { Chart, Handlers } from "../kit/chart";
import { h } from "../kit/dom";
import { drawInto, type Charts } from "../kit/figure";
import { tableElement } from "../kit/table";
import { onTheme, theme } from "../kit/theme";
import { Frame } from "./latest";

let count = 0;

export class Picture {
  readonly el: HTMLElement;
  private readonly title = h("h2");
  private readonly finding = h("figcaption");
  private readonly body = h("div", { class: "chart" });
  private readonly table: HTMLElement;
  private readonly button: HTMLButtonElement;
  private readonly frame = new Frame();
  private shown: Exhibit | null = null;
  private width = 0;

  constructor(
    private readonly handlers?: Handlers,
    title = "",
  ) {
    const id = `picture-${++count}`;
    this.title.id = `${id}-title`;
    this.title.textContent = title;
    this.table = h("div", { id: `${id}-table` });
    this.button = h(
      "button",
      {
        type: "button",
        class: "quiet",
        "aria-expanded": "false",
        "aria-controls": `${id}-table`,
        onclick: () => {
          this.button.setAttribute("aria-expanded", String(!this.open));
          this.button.textContent = this.open ? "Hide table" : "Show as table";
          this.fillTable();
        },
      },
      "Show as table",
    );
    this.el = h(
      "figure",
      { class: "exhibit live", "aria-labelledby": `${id}-title` },
      this.title,
      this.finding,
      this.body,
      h("div", { class: "tools" }, this.button),
      this.table,
    );
    this.button.hidden = true;
    onTheme(() => this.draw());
    if (typeof ResizeObserver === "function")
      new ResizeObserver(() => {
        if (this.body.clientWidth && this.body.clientWidth !== this.width) this.draw();
      }).observe(this.body);
  }

  private get open(): boolean {
    return this.button.getAttribute("aria-expanded") === "true";
  }

  show(exhibit: Exhibit): void {
    this.shown = exhibit;
    this.draw();
  }

  get data(): Exhibit | null {
    return this.shown;
  }

  private draw(): void {
    if (!this.shown) return;
    this.frame.draw(() => {
      const exhibit = this.shown!;
      this.title.textContent = exhibit.title;
      this.finding.textContent = exhibit.finding;
      this.button.hidden = false;
      this.width = this.body.clientWidth;
      // The frame keeps its height while it is empty, so that nothing below it jumps.
      this.body.style.minHeight = `${this.body.clientHeight}px`;
      drawInto(this.body, exhibit.kind, charts as Charts, exhibit.data, theme(), this.handlers);
      this.body.style.minHeight = "";
      if (this.open) this.fillTable();
    });
  }

  private fillTable(): void {
    const chart = this.shown && (charts[this.shown.kind] as Chart<unknown> | undefined);
    if (!this.open || !chart) this.table.replaceChildren();
    else this.table.replaceChildren(tableElement(chart.table(this.shown!.data), this.shown!.title));
  }
}
