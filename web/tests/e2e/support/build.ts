// Builds what the tests look at, from the sources as they are: the page, and the page with all specimens in it.
import { build } from "vite";
import { folder, page } from "./places";

export default async function (): Promise<void> {
  const quiet = { root: folder("."), logLevel: "warn" } as const;
  await build({ ...quiet, mode: "specimens" });
  await build({ ...quiet, build: { outDir: page.folder, emptyOutDir: true } });
}
