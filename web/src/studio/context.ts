// What every screen has at hand.
import type { Api, Catalog } from "./api";
import type { DataKeeper } from "./data_keeper";
import type { Jobs } from "./jobs";
import type { State, Store } from "./state";
import type { Workbench } from "./workbench";

export interface Context {
  api: Api;
  bench: Workbench;
  catalog: Catalog;
  data: DataKeeper;
  jobs: Jobs;
  store: Store;
  /** One sentence for the person, in the page. */
  say(problem: unknown): void;
}

export interface Screen {
  el: HTMLElement;
  /** The screen comes into view, the address says something new, or the server is another one. */
  show(state: State): void;
}
