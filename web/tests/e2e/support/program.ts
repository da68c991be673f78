// The program at work: models and pages made by it.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { folder, mercer } from "./places";

const place = folder("test-results/made");

/** What the program writes on standard output; throws what it says where it refuses. */
export const run = (...words: string[]): string => execFileSync(mercer, words, { encoding: "utf8", cwd: place, stdio: "pipe" });

export function write(name: string, text: string): string {
  mkdirSync(place, { recursive: true });
  writeFileSync(`${place}/${name}`, text);
  return `${place}/${name}`;
}

export interface Made {
  name: string;
  machine: string;
  target: string;
  rows: string;
  /** Where the report is about other rows than the fit. */
  about?: string;
  title?: string;
  options?: string[];
}

/** A report of a model of some rows: its file. */
export function report({ name, machine, target, rows, about, title, options = [] }: Made): string {
  const data = write(`${name}.csv`, rows);
  run("fit", machine, data, "--target", target, "-o", `${name}.mercer`, ...options);
  run("report", `${name}.mercer`, about ? write(`${name}-about.csv`, about) : data, "-o", `${name}.html`, ...(title ? ["--title", title] : []));
  return `${place}/${name}.html`;
}

export function gallery(): string {
  mkdirSync(place, { recursive: true });
  run("demo", "gallery", "-o", place);
  return `${place}/gallery.html`;
}
