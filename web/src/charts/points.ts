// What the points of a chart are called, and which belong together.
import type { Marks } from "./types";

/** Names of a point: its own, its row, its class. */
export function describe(marks: Marks, i: number): string {
  const parts = [marks.names?.[i], marks.rows ? `row ${marks.rows[i]}` : undefined, marks.classes?.[marks.group?.[i] ?? -1]];
  return parts.filter((part) => part !== undefined && part !== "").join(" · ") || `point ${i + 1}`;
}

/** Indices of the points of each group; all in the first where there are none. */
export function byGroup(count: number, groups?: number[]): number[][] {
  const out: number[][] = [];
  for (let i = 0; i < count; ++i) (out[groups?.[i] ?? 0] ??= []).push(i);
  return Array.from(out, (list) => list ?? []);
}
