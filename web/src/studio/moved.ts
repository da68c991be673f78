// Parameters under the hand: dragged, and not yet in the text of the kernel.
import type { Check } from "./api";

export class Moved {
  private values: Record<string, number> = {};
  private written = "";

  get params(): Record<string, number> {
    return this.values;
  }

  set(path: string, value: number): void {
    this.values = { ...this.values, [path]: value };
  }

  /** The kernel with what is moved so far written into it; what is moved meanwhile stays for the next time. */
  async write(expr: string, check: (expr: string, params: Record<string, number>) => Promise<Check>): Promise<string | null> {
    const sent = this.values;
    const { str } = await check(expr, sent);
    if (!str) return null;
    this.values = Object.fromEntries(Object.entries(this.values).filter(([path, value]) => sent[path] !== value));
    this.written = str;
    return str;
  }

  /** Another kernel than the one that was written here has parameters of its own. */
  arrive(expr: string): void {
    if (expr !== this.written) this.values = {};
    this.written = expr;
  }
}
