// What the built page is made of, in a fixed order: its hash stands in the page, and a test compares (scripts/web_sources.py).
import { readdirSync } from "node:fs";

const tops = ["mercer.html", "package-lock.json", "vite.config.ts"];

export function sourceFiles(): string[] {
  const below = readdirSync("src", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  return [...tops, ...below].sort();
}
