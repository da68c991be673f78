// @vitest-environment jsdom
import { beforeAll, expect, it, vi } from "vitest";
import { standInCanvas } from "../../tests/canvas";
import { specimenDocument, withDocument } from "../../tests/specimens";
import type { Document } from "../charts/types";
import { drawAll } from "../kit/figure";
import { showDocument } from "./page";

beforeAll(standInCanvas);

function page(held: Document): HTMLElement {
  const element = document.createElement("main");
  document.body.replaceChildren(element);
  showDocument(element, held);
  drawAll();
  return element;
}

it("shows every specimen, metrics, worries and code", () => {
  const held = specimenDocument();
  const element = page(held);
  expect(element.querySelectorAll("figure")).toHaveLength(held.sections.reduce((sum, section) => sum + section.exhibits.length, 0));
  expect(element.querySelector(".broken")?.textContent).toBeUndefined();
  expect(element.querySelector(".metric .interval")!.textContent).toBe("0.861 to 0.914");
  expect(element.querySelectorAll(".worry")).toHaveLength(2);
  const ids = [...element.querySelectorAll("[id]")].map((each) => each.id);
  expect(new Set(ids).size).toBe(ids.length);
  const tabs = element.querySelectorAll<HTMLElement>("[role=tab]");
  tabs[1].click();
  expect([...element.querySelectorAll<HTMLElement>("[role=tabpanel]")].map((panel) => panel.hidden)).toEqual([true, false, true]);
});

it("says so where there is nothing to worry about, and needs no metrics", () => {
  const element = page({ kind: "report", title: "t", subtitle: "", made: "Mercer", sections: [], worries: [] });
  expect(element.textContent).toContain("None of the checks found anything");
  expect(element.querySelector(".metrics")).toBeNull();
});

it("copies where the clipboard is closed, by selection", async () => {
  const element = page({ kind: "gallery", title: "t", subtitle: "", made: "Mercer", sections: [], code: { command: "mercer fit", cpp: "", python: "" } });
  const button = element.querySelector<HTMLButtonElement>(".copy")!;
  button.click();
  await vi.waitFor(() => expect(button.textContent).toMatch(/Copied|Ctrl-C/));
});

it("lets no text of a document out of its script", () => {
  const held: Document = { kind: "gallery", title: "</script><img onerror=1>\u2028", subtitle: "", made: "", sections: [] };
  const html = withDocument('<script type="application/json" id="document">null</script>', held);
  expect(html.match(/<\/script>/g)).toHaveLength(1);
  expect(html).not.toContain("<img");
  const parsed = new DOMParser().parseFromString(html, "text/html").getElementById("document")!.textContent!;
  expect((JSON.parse(parsed) as Document).title).toBe(held.title);
  expect(page(held).querySelector("img")).toBeNull();
});
