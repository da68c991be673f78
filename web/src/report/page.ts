// The page of a document: a report of a model, or the gallery.
import { charts } from "../charts";
import type { Document, Metric, Section, Worry } from "../charts/types";
import { codeTabs } from "../kit/code";
import { h } from "../kit/dom";
import { figure } from "../kit/figure";
import { text } from "../kit/numbers";
import { theme } from "../kit/theme";
import { themeSwitch } from "../kit/theme_switch";
import "./report.css";

function tile(metric: Metric): HTMLElement {
  const interval = metric.low !== undefined && metric.high !== undefined;
  return h(
    "div",
    { class: "metric" },
    h("dt", null, metric.name),
    h("dd", { class: "value" }, text(metric.value, 3)),
    interval && h("dd", { class: "interval" }, `${text(metric.low, 3)} to ${text(metric.high, 3)}`),
    h("dd", { class: "words" }, metric.words),
  );
}

function worry(one: Worry): HTMLElement {
  return h(
    "li",
    { class: `worry ${one.level === "warning" ? "warning" : "note"}` },
    h("strong", null, h("span", { class: "sr" }, one.level === "warning" ? "Warning: " : "Note: "), one.what),
    one.why && h("p", null, one.why),
    one.advice && h("p", { class: "advice" }, one.advice),
  );
}

function section(one: Section): HTMLElement {
  return h(
    "section",
    { id: `section-${one.id}`, "aria-labelledby": `section-${one.id}-title` },
    h("h2", { id: `section-${one.id}-title` }, one.title),
    ...one.words.map((words) => h("p", null, words)),
    ...one.exhibits.map((exhibit) => figure(exhibit, charts, theme())),
  );
}

/** Marks the section in view in the table of contents. */
function follow(links: Map<Element, HTMLElement>): void {
  if (typeof IntersectionObserver !== "function") return;
  const seen = new Set<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) entry.isIntersecting ? seen.add(entry.target) : seen.delete(entry.target);
      const first = [...links.keys()].find((element) => seen.has(element));
      for (const [element, link] of links)
        if (element === first) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
    },
    { rootMargin: "0px 0px -60% 0px" },
  );
  for (const element of links.keys()) observer.observe(element);
}

export function showDocument(page: HTMLElement, held: Document): void {
  document.title = held.title || "Mercer";
  const worries = held.worries ?? [];
  const sections = held.sections.map(section);
  const extra: [string, string, HTMLElement][] = [];
  const top: HTMLElement[] = [];
  const add = (id: string, title: string, ...children: HTMLElement[]) => {
    const element = h("section", { id: `section-${id}`, "aria-labelledby": `section-${id}-title` }, h("h2", { id: `section-${id}-title` }, title), ...children);
    extra.push([`section-${id}`, title, element]);
    return element;
  };
  if (held.kind === "report" && held.worries)
    top.push(
      add("worries", "What to worry about", worries.length ? h("ul", { class: "worries" }, ...worries.map(worry)) : h("p", null, "None of the checks found anything; how good the model is, the figures above say.")),
    );
  const last = held.code ? [add("code", "How to reproduce it", codeTabs(held.code))] : [];

  const links = new Map<Element, HTMLElement>();
  const contents = [
    ...extra.filter(([, , element]) => top.includes(element)),
    ...held.sections.map((one, i): [string, string, HTMLElement] => [`section-${one.id}`, one.title, sections[i]]),
    ...extra.filter(([, , element]) => last.includes(element)),
  ];
  const nav = h(
    "nav",
    { class: "contents no-print", "aria-label": "Contents" },
    h(
      "ol",
      null,
      ...contents.map(([id, title, element]) => {
        const link = h("a", { href: `#${encodeURIComponent(id)}` }, title);
        // Ids may hold anything, and the fragment must not reload a page opened from a file.
        link.addEventListener("click", (event) => {
          event.preventDefault();
          element.scrollIntoView();
          element.querySelector<HTMLElement>("h2")?.setAttribute("tabindex", "-1");
          element.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
        });
        links.set(element, link);
        return h("li", null, link);
      }),
    ),
  );

  page.classList.add("document");
  page.replaceChildren(
    h(
      "header",
      null,
      h("div", { class: "made" }, h("span", null, held.made), themeSwitch()),
      h("h1", null, held.title),
      held.subtitle && h("p", { class: "subtitle" }, held.subtitle),
      held.metrics?.length ? h("dl", { class: "metrics" }, ...held.metrics.map(tile)) : null,
      held.evidence && h("p", { class: "evidence" }, `How the figures were got: ${held.evidence}.`),
    ),
    contents.length > 2 ? nav : "",
    h("div", { class: "body" }, ...top, ...sections, ...last),
  );
  follow(links);
}
