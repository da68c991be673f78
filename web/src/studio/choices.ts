// One of a few: radio buttons that look like one bar.
import { h, type Child } from "../kit/dom";

let count = 0;

export class Choices<T extends string> {
  readonly el: HTMLFieldSetElement;
  private readonly name = `choice-${++count}`;
  private readonly place = h("div", { class: "bar" });

  constructor(
    legend: string,
    private readonly chosen: (value: T) => void,
    kind = "segments",
  ) {
    this.el = h("fieldset", { class: kind }, h("legend", null, legend), this.place);
  }

  show(items: { value: T; content: Child[]; title?: string }[], value: T): void {
    const same = this.place.childElementCount === items.length && items.every((item, i) => this.inputs[i]?.value === item.value);
    if (!same)
      this.place.replaceChildren(
        ...items.map((item) =>
          h(
            "label",
            { title: item.title },
            h("input", { type: "radio", name: this.name, value: item.value, onchange: () => this.chosen(item.value) }),
            h("span", null, ...item.content),
          ),
        ),
      );
    for (const input of this.inputs) input.checked = input.value === value;
  }

  private get inputs(): HTMLInputElement[] {
    return [...this.place.querySelectorAll("input")];
  }
}

/** A list to choose from, with its label. */
export class Select {
  readonly select = h("select");
  readonly el: HTMLElement;

  constructor(label: string, chosen: (value: string) => void) {
    this.el = h("label", { class: "select" }, h("span", null, label), this.select);
    this.select.addEventListener("change", () => chosen(this.select.value));
  }

  show(items: { value: string; text: string }[], value: string): void {
    this.select.replaceChildren(...items.map((item) => h("option", { value: item.value }, item.text)));
    if (!items.some((item) => item.value === value) && value) this.select.append(h("option", { value }, value));
    this.select.value = value;
  }
}
