// `mercer studio`, started and ended by a test.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, type Page } from "@playwright/test";
import { build, mercer, noMercer } from "./places";
import { test as base, type Watch } from "./test";

export interface Server {
  /** With the token. */
  address: string;
  url: string;
  port: number;
  folder: string;
  /** What it said on standard error. */
  said: string[];
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export async function serve(options: { folder?: string; port?: number } = {}): Promise<Server> {
  const folder = options.folder ?? mkdtempSync(`${tmpdir()}/mercer-studio-`);
  const child: ChildProcess = spawn(mercer, ["studio", folder, "--no-open", "--json", "--port", String(options.port ?? 0)], { stdio: ["ignore", "pipe", "pipe"] });
  const said: string[] = [];
  child.stderr!.on("data", (part: Buffer) => said.push(part.toString()));
  const { address, port } = await new Promise<{ address: string; port: number }>((resolve, reject) => {
    let out = "";
    child.on("exit", (code) => reject(new Error(`mercer studio ended (${code}): ${said.join("")}`)));
    child.stdout!.on("data", (part: Buffer) => {
      out += part.toString();
      if (out.trimEnd().endsWith("}")) resolve(JSON.parse(out) as { address: string; port: number });
    });
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, "exit");
      child.kill(signal);
      await gone;
    }
    return child.exitCode;
  };
  return { address, port, url: `http://127.0.0.1:${port}/`, folder, said, end };
}

/** A server for a test, and a page that has entered it and seen the tour. */
export const test = base.extend<{ server: Server; studio: Page }>({
  server: async ({ watched, context }, use) => {
    base.skip(noMercer, build);
    const server = await serve();
    allow(watched, server);
    await use(server);
    await Promise.all(context.pages().map((page) => page.close())); // none of them sees how the server is killed
    await server.end("SIGKILL");
    rmSync(server.folder, { recursive: true, force: true });
  },
  studio: async ({ page, server }, use) => {
    await enter(page, server);
    await use(page);
  },
});

export function allow(watched: Watch, server: Server): void {
  watched.allowed.push(server.url);
}

/** Lets a page in by the address that was printed; the tour is not offered. */
export async function enter(page: Page, server: Server): Promise<void> {
  await page.addInitScript(() => location.protocol === "http:" && localStorage.setItem("mercer-tour", "seen"));
  await page.goto(server.address);
  await expect(page.getByRole("navigation", { name: "Screens" })).toBeVisible();
}

/** Shows what a link shows. */
export async function follow(page: Page, server: Server, hash: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(server.url + hash);
  await expect(page.getByRole("navigation", { name: "Screens" })).toBeVisible();
}

export const hash = (page: Page): Promise<string> => page.evaluate(() => decodeURIComponent(location.hash.replaceAll("+", " ")));

/** Nothing is being worked on: the last answer is on the page. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator(".job-bar")).toBeHidden();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

export { expect };
