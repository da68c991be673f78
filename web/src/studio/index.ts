// The studio: one page, six screens, one state that lives in the address.
import { h } from "../kit/dom";
import { themeSwitch } from "../kit/theme_switch";
import { Api, enter, Gone, keyHeader, Refusal, type Catalog, type Session } from "./api";
import type { Context, Screen } from "./context";
import { DataKeeper } from "./data_keeper";
import { Events, type Source } from "./events";
import { Hub, type Channel, type Locks } from "./hub";
import { jobBar } from "./job_bar";
import { Jobs } from "./jobs";
import { CompareScreen } from "./screens/compare";
import { DataScreen } from "./screens/data";
import { FitScreen } from "./screens/fit";
import { KernelScreen } from "./screens/kernel";
import { PlayScreen } from "./screens/play";
import { ReportScreen } from "./screens/report";
import { Stream } from "./stream";
import { first, fromHash, screens, Store, toHash, type ScreenName, type State } from "./state";
import { Tour } from "./tour";
import { Workbench } from "./workbench";
import "./studio.css";

const makers: Record<ScreenName, { title: string; make(my: Context): Screen }> = {
  play: { title: "Play", make: (my) => new PlayScreen(my) },
  kernel: { title: "Kernel", make: (my) => new KernelScreen(my) },
  data: { title: "Data", make: (my) => new DataScreen(my) },
  fit: { title: "Fit", make: (my) => new FitScreen(my) },
  compare: { title: "Compare", make: (my) => new CompareScreen(my) },
  report: { title: "Report", make: (my) => new ReportScreen(my) },
};

/** Every tab has its own name, so that two of them do not take each other's place. */
const tabName = () => [...crypto.getRandomValues(new Uint8Array(6))].map((b) => b.toString(16).padStart(2, "0")).join("");

export async function studio(page: HTMLElement): Promise<void> {
  document.title = "Mercer studio";
  const api = new Api();
  try {
    const session = await enter(api, location, history);
    start(page, api, await api.catalog(), session);
  } catch (problem) {
    page.replaceChildren(welcome(problem));
  }
}

function welcome(problem: unknown): HTMLElement {
  const closed = problem instanceof Refusal && (problem.status === 401 || problem.status === 403);
  const retry = h("button", { type: "button", class: "main", onclick: () => location.reload() }, "Try again");
  return h(
    "section",
    { class: "closed" },
    h("h1", null, "Mercer studio"),
    h("p", { role: "alert" }, closed ? "Open the address that the program printed in the terminal: it holds the key to this page." : sentence(problem)),
    retry,
  );
}

function sentence(problem: unknown): string {
  if (problem instanceof Refusal) {
    // The words of the command often hold all of it already.
    const { message, where, hint } = problem;
    return [message, where && !message.includes(where) && `(${where})`, hint && !message.includes(hint) && hint].filter(Boolean).join(" ");
  }
  return problem instanceof Error ? problem.message : String(problem);
}

/** Where the page begins when its address says nothing: with the file of the command line, else at play. */
const beginning = ({ open }: Session): State =>
  open === null ? first : { ...first, screen: "data", work: { ...first.work, data: { kind: "file", name: open } } };

/** Where events come from: one stream for all tabs, or one of its own in a browser that cannot share. */
function streams(): (after: number) => Source {
  const connect = (after: number): Source => new Stream(`/api/v1/events?after=${after}`, keyHeader());
  if (!("locks" in navigator) || !("BroadcastChannel" in window)) return connect;
  const hub = new Hub(connect, new BroadcastChannel("mercer-events") as Channel, navigator.locks as Locks);
  return () => hub.open();
}

function start(page: HTMLElement, api: Api, catalog: Catalog, session: Session): void {
  const store = new Store(fromHash(location.hash, first) ?? beginning(session), history);
  const tab = tabName();
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const say = (what: unknown) => {
    if (what instanceof Gone) return;
    problem.hidden = what === null;
    problem.textContent = what === null ? "" : sentence(what);
  };
  const banner = h("p", { class: "banner", role: "status", hidden: true }, "The program does not answer. If it has ended, start mercer studio again and open the address that it prints; this page waits, and keeps what you have.");
  const data = new DataKeeper(api);
  const events = new Events(
    (there) => {
      const back = there && !banner.hidden;
      banner.hidden = there;
      if (there && !back) return;
      jobs.lose();
      // Whoever waited asks again.
      if (back) view(store.state, true);
    },
    () => {
      data.forget();
      my.bench.forget();
      jobs.lose();
      view(store.state, true);
    },
    streams(),
  );
  const jobs = new Jobs(api, events, tab);
  const my: Context = { api, catalog, data, jobs, store, say, bench: new Workbench({ data, jobs }) };

  const made = new Map<ScreenName, Screen>();
  const place = h("div", { class: "place" });
  const heading = h("h1", { class: "sr" });
  const links = new Map<ScreenName, HTMLAnchorElement>();
  for (const name of screens) links.set(name, h("a", { href: `#${name}` }, makers[name].title));
  const view = (state: State, again = false) => {
    let screen = made.get(state.screen);
    if (!screen) made.set(state.screen, (screen = makers[state.screen].make(my)));
    if (place.firstElementChild !== screen.el) place.replaceChildren(screen.el);
    for (const [name, link] of links) {
      link.setAttribute("href", toHash({ ...state, screen: name }));
      if (name === state.screen) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    heading.textContent = makers[state.screen].title;
    document.title = `${makers[state.screen].title} · Mercer studio`;
    screen.show(state, again);
  };
  const tour = new Tour((hash) => {
    history.pushState(null, "", hash);
    say(null);
    store.arrive(hash);
  });
  const begin = h("button", { type: "button", class: "quiet", onclick: () => tour.start() }, "Tour");
  page.replaceChildren(
    h(
      "header",
      { class: "top" },
      h("a", { class: "brand", href: "#play" }, "Mercer", h("span", null, " studio")),
      h("nav", { "aria-label": "Screens" }, ...links.values()),
      h("div", { class: "right" }, begin, themeSwitch()),
    ),
    banner,
    problem,
    heading,
    place,
    jobBar(jobs),
    tour.el,
  );
  page.classList.add("studio");
  store.listen((state) => view(state));
  addEventListener("popstate", () => {
    say(null);
    store.arrive(location.hash);
  });
  const lesson = fromHash(location.hash, first) !== null;
  if (!lesson) history.replaceState(null, "", toHash(store.state));
  events.open();
  // Whoever follows a link wants to see what it shows.
  if (lesson || session.open !== null || !tour.offer()) view(store.state);
}
