// Data: where they come from, what is in them, and what is to be predicted.
import { h } from "../../kit/dom";
import { text } from "../../kit/numbers";
import { tableElement } from "../../kit/table";
import type { Data, DataColumn } from "../api";
import { CodeTabs } from "../code_tabs";
import type { Context, Screen } from "../context";
import { sparkline } from "../histogram";
import { toHash, type DataRef, type State } from "../state";

const megabytes = 64;

export class DataScreen implements Screen {
  readonly el: HTMLElement;
  private readonly found = h("div", { class: "found", "aria-live": "polite" });
  private readonly files = h("div", { class: "files" });
  private readonly code = new CodeTabs();
  private shown: State["work"] | null = null;
  private buttons: { ref: DataRef; button: HTMLElement }[] = [];

  constructor(private readonly my: Context) {
    const input = h("input", { type: "file", class: "sr", id: "data-file" });
    input.addEventListener("change", () => {
      if (input.files?.[0]) this.upload(input.files[0]);
      input.value = "";
    });
    const drop = h(
      "label",
      { class: "drop", for: "data-file" },
      h("strong", null, "Drop a file here, or choose one"),
      h("span", { class: "hint" }, `CSV, TSV, LIBSVM, NPY and more, up to ${megabytes} MB. It goes to the program on this computer and nowhere else.`),
    );
    for (const kind of ["dragenter", "dragover"])
      drop.addEventListener(kind, (e) => {
        e.preventDefault();
        drop.classList.add("over");
      });
    for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
    drop.addEventListener("drop", (e) => {
      e.preventDefault();
      const file = e.dataTransfer?.files[0];
      if (file) this.upload(file);
    });
    this.el = h(
      "section",
      { class: "screen data", "aria-label": "Data" },
      h(
        "div",
        { class: "sources" },
        h("div", { class: "drop-place" }, input, drop),
        this.files,
        h("h2", null, "Built in"),
        h("div", { class: "picks" }, ...this.my.catalog.builtin.map((b) => this.pick({ kind: "builtin", name: b.name }, `${b.words}; ${b.rows} rows`))),
      ),
      h("div", null, this.found, this.code.el),
    );
  }

  show(state: State, again = false): void {
    const before = this.shown;
    this.shown = state.work;
    void this.listFiles();
    const { data } = state.work;
    for (const { ref, button } of this.buttons) button.setAttribute("aria-pressed", String(ref.kind === data?.kind && ref.name === data.name));
    if (!data) {
      this.found.replaceChildren(h("p", { class: "empty" }, "Choose data on the left: a file of yours, or one that comes with Mercer."));
      this.code.show(null);
    } else if (again || before?.data !== data || before.target !== state.work.target) void this.draw(data, state.work.target);
  }

  private pick(ref: DataRef, words: string): HTMLElement {
    const button = h(
      "button",
      { type: "button", class: "pick", "aria-pressed": "false", onclick: () => this.choose(ref) },
      h("strong", null, ref.name),
      h("span", { class: "hint" }, words),
    );
    this.buttons.push({ ref, button });
    return button;
  }

  private choose(data: DataRef): void {
    this.my.say(null);
    this.my.store.change((s) => ({ work: { data, target: "", trial: { machine: "", kernel: "", options: {}, learn: s.work.trial.learn }, compared: [] } }));
  }

  private upload(file: File): void {
    if (file.size > megabytes * 2 ** 20) this.my.say(new Error(`${file.name} has ${Math.ceil(file.size / 2 ** 20)} MB; this page takes ${megabytes}. Start mercer studio with the folder it is in.`));
    else this.choose(this.my.data.upload(file));
  }

  private async listFiles(): Promise<void> {
    if (this.files.childElementCount) return;
    try {
      const { folder, files } = await this.my.api.files();
      if (folder === null || this.files.childElementCount) return;
      this.files.replaceChildren(
        h("h2", null, `In ${folder}`),
        files.length === 0 ? h("p", { class: "hint" }, "There are no files in it.") : h("div", { class: "picks" }, ...files.map((f) => this.pick({ kind: "file", name: f.name }, `${text(f.bytes / 1024, 3)} kB`))),
      );
    } catch (problem) {
      this.my.say(problem);
    }
  }

  private async draw(ref: DataRef, chosen: string): Promise<void> {
    try {
      this.found.setAttribute("aria-busy", "true");
      const data = await this.my.data.get(ref);
      if (this.shown?.data !== ref) return;
      this.found.replaceChildren(...this.describe(data, chosen || (data.suggested.target ?? "")));
      this.code.show(data.code);
    } catch (problem) {
      if (this.shown?.data !== ref) return; // of data that were given up for others
      this.found.replaceChildren();
      this.my.say(problem);
    } finally {
      this.found.removeAttribute("aria-busy");
    }
  }

  private describe(data: Data, target: string): HTMLElement[] {
    const missing = data.columns.reduce((sum, column) => sum + column.missing, 0);
    const rows = data.columns.map((column) => this.row(column, target));
    return [
      h("h2", { class: "large" }, data.name),
      h("p", null, `${text(data.rows)} rows, ${data.columns.length} columns; ${missing === 0 ? "nothing is missing" : `${text(missing)} values are missing`}.`),
      h(
        "div",
        { class: "table" },
        h(
          "table",
          { class: "columns" },
          h("caption", { class: "sr" }, "Columns"),
          h("thead", null, h("tr", null, ...["Predict", "Column", "Kind", "Distinct", "Missing", "From", "To", "Shape"].map((name) => h("th", { scope: "col" }, name)))),
          h("tbody", null, ...rows),
        ),
      ),
      h("div", { class: "row" }, h("a", { class: "button main", href: toHash({ ...this.my.store.state, screen: "fit" }) }, "Fit a model to it")),
      h("h2", null, "The first rows"),
      tableElement({ columns: data.preview.columns, rows: data.preview.rows }, "The first rows"),
    ];
  }

  private row(column: DataColumn, target: string): HTMLElement {
    const radio = h("input", {
      type: "radio",
      name: "target",
      "aria-label": `predict ${column.name}`,
      onchange: () => this.my.store.change((s) => ({ work: { ...s.work, target: column.name, trial: { ...s.work.trial, machine: "", kernel: "", options: {} } } })),
    });
    radio.checked = column.name === target;
    const number = (value: number | null) => h("td", { class: "number" }, value === null ? "" : text(value));
    return h(
      "tr",
      { class: radio.checked ? "target" : "" },
      h("td", null, radio),
      h("td", null, column.name),
      h("td", { title: column.why }, column.kind),
      number(column.distinct),
      h("td", { class: column.missing ? "number bad" : "number" }, text(column.missing)),
      number(column.low),
      number(column.high),
      h("td", null, sparkline(column.histogram)),
    );
  }
}
