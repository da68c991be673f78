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
  /** One sentence for the person, in the page; null takes it away. That the server is gone is said by the banner. */
  say(problem: unknown): void;
}

export interface Screen {
  el: HTMLElement;
  /** The screen comes into view, or the address says something new. `again`: the server was gone, ask it anew. */
  show(state: State, again?: boolean): void;
}
