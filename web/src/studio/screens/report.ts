// Report: the page to mail, as it will look, and where to put it.
import { h } from "../../kit/dom";
import { Refusal, type Fitted } from "../api";
import { CodeTabs } from "../code_tabs";
import type { Context, Screen } from "../context";
import { offer } from "../download";
import { toHash, type State } from "../state";

export class ReportScreen implements Screen {
  readonly el: HTMLElement;
  private readonly none = h("p", { class: "empty" });
  private readonly tools: HTMLElement;
  private readonly name = h("input", { type: "text", value: "report.html", "aria-label": "Name of the file", spellcheck: "false" });
  private readonly said = h("span", { role: "status", class: "hint" });
  private readonly place = h("div", { class: "preview" });
  private readonly code = new CodeTabs();
  private shown: State["work"] | null = null;
  private fitted: Fitted | null = null;
  private html = "";

  constructor(private readonly my: Context) {
    const save = h("button", { type: "button", class: "main", onclick: () => void this.save() }, my.catalog.folder ? `Save in ${my.catalog.folder}` : "Save");
    const download = h("button", { type: "button", onclick: () => this.download() }, "Download");
    save.hidden = !my.catalog.folder;
    this.tools = h("div", { class: "row report-tools" }, this.name, save, download, this.said);
    this.el = h("section", { class: "screen report", "aria-label": "Report" }, this.none, this.tools, this.code.el, this.place);
  }

  show(state: State, again = false): void {
    const { work } = state;
    this.none.hidden = !!work.data;
    this.tools.hidden = !work.data;
    this.none.replaceChildren("A report is about a model, and there are no data yet. ", h("a", { href: toHash({ ...state, screen: "data" }) }, "Choose some"), ".");
    if (!work.data) this.place.replaceChildren();
    else if (this.shown !== work || again) void this.make(work);
  }

  private async make(work: State["work"]): Promise<void> {
    this.shown = work;
    this.place.replaceChildren(h("p", { class: "hint" }, "The report is being made."));
    try {
      this.fitted = await this.my.bench.fit("fit", work);
      if (!this.fitted || work !== this.shown) return;
      this.html = await this.my.api.report(this.fitted.model.id);
      if (work !== this.shown) return;
      // In a sandbox of its own origin: it can draw, and reach nothing.
      const frame = h("iframe", { sandbox: "allow-scripts", title: "Preview of the report" });
      frame.srcdoc = this.html;
      this.place.replaceChildren(frame);
      this.code.show(this.fitted.code);
    } catch (problem) {
      this.shown = null;
      this.place.replaceChildren();
      this.my.say(problem);
    }
  }

  private async save(): Promise<void> {
    if (!this.fitted) return;
    try {
      const { path } = await this.my.api.save(this.fitted.model.id, "report", this.name.value.trim() || "report.html");
      this.said.textContent = `Saved as ${path}.`;
      this.my.say(null);
    } catch (problem) {
      this.said.textContent = "";
      this.my.say(problem instanceof Refusal && problem.status === 409 ? new Refusal(problem.message, "", problem.hint || "Give it another name.") : problem);
    }
  }

  private download(): void {
    if (!this.html) return;
    offer(new Blob([this.html], { type: "text/html" }), this.name.value.trim() || "report.html");
  }
}
