// What every chart is: a picture and a table of the same data.
import type { TableData } from "../charts/types";
import type { Theme } from "./theme";

/** What a person does to a picture: the studio answers, a report has no handlers. Coordinates are those of the axes. */
export interface Handlers {
  /** A point is moved; `done` when it is let go. */
  drag?(index: number, x: number, y: number, done: boolean): void;
  add?(x: number, y: number): void;
  remove?(index: number): void;
  hover?(index: number | null): void;
  /** A mark is clicked: a cell of a grid, a row of a matrix. */
  pick?(index: number): void;
}

export interface Chart<D> {
  /** Pure: the same data give the same picture. May be called again on the same element, whose content it replaces. */
  draw(el: HTMLElement, data: D, theme: Theme, handlers?: Handlers): void;
  /** All rows; who shows it keeps the first ones (kit/table.ts). */
  table(data: D): TableData;
}
