// Where things are.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A path in web/. */
export const folder = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

export const page = { folder: folder("test-results/page"), file: folder("test-results/page/mercer.html") };
export const specimens = folder("test-results/specimens/mercer.html");

/** The program, where it has been built. */
export const mercer = process.env.MERCER ?? folder("../build/mercer");
export const noMercer = !existsSync(mercer);
export const build = "there is no program: build mercer_cli, or name one in MERCER";

export const asAddress = (file: string): string => `file://${file}`;
