// How to do the same without the page: the command, C++ and Python, each with a button that copies it.
import type { Code } from "../charts/types";
import { h } from "./dom";

/** Works from `file:` too, where the clipboard may be closed: then the text is selected for Ctrl-C. */
async function copy(code: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    return "Copied";
  } catch {
    const range = document.createRange();
    range.selectNodeContents(code);
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
    return document.execCommand?.("copy") ? "Copied" : "Selected: press Ctrl-C";
  }
}

let count = 0;

export function codeTabs(code: Code): HTMLElement {
  const id = `code-${++count}`;
  const texts: [string, string][] = [
    ["Command", code.command],
    ["Python", code.python],
    ["C++", code.cpp],
  ];
  const shown = texts.filter(([, text]) => text);
  const panels = shown.map(([name, text], i) => {
    const body = h("code", null, text);
    const button = h("button", { type: "button", class: "quiet copy" }, "Copy");
    button.addEventListener("click", async () => {
      button.textContent = await copy(body);
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    return h(
      "div",
      { role: "tabpanel", id: `${id}-${i}`, "aria-labelledby": `${id}-${i}-tab`, class: "code", hidden: i > 0 },
      h("span", { class: "code-name", "aria-hidden": "true" }, name),
      h("pre", { tabindex: 0 }, body),
      button,
    );
  });
  const tabs = shown.map(([name], i) =>
    h("button", { type: "button", role: "tab", id: `${id}-${i}-tab`, "aria-controls": `${id}-${i}`, "aria-selected": String(i === 0), tabindex: i ? -1 : 0 }, name),
  );
  const choose = (i: number, focus: boolean) => {
    tabs.forEach((tab, j) => {
      tab.setAttribute("aria-selected", String(i === j));
      tab.tabIndex = i === j ? 0 : -1;
      panels[j].hidden = i !== j;
    });
    if (focus) tabs[i].focus();
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => choose(i, false));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) choose((i + step + tabs.length) % tabs.length, true);
    });
  });
  return h("div", { class: "code-tabs" }, h("div", { class: "tabs", role: "tablist", "aria-label": "How to reproduce it" }, ...tabs), ...panels);
}
