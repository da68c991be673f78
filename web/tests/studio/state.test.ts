import { describe, expect, it } from "vitest";
import { first, fromHash, playOf, pointsFromText, pointsToText, Store, toHash, type State } from "../../src/studio/state";

const round = (state: State) => fromHash(toHash(state), first);

describe("the address", () => {
  it("gives back every state", () => {
    const hostile = "</script>&=#?%+ ü\u202e;|,";
    const states: State[] = [
      first,
      { ...first, play: { ...playOf("curve"), kernel: "rbf(ell=[1, 2]) + 2*linear()^2", options: { noise: "1e-3", "odd & name": "a=b" } } },
      { ...first, play: { ...first.play, points: { x: [0.125, -3], y: [1, 2], labels: [hostile, "b,;"] } } },
      { ...first, screen: "kernel", kernel: { expr: `on(${hostile}, rbf(ell=1))`, seed: 7 } },
      {
        ...first,
        screen: "compare",
        work: {
          data: { kind: "file", name: `a:${hostile}.csv` },
          target: hostile,
          trial: { machine: "svc", kernel: "rbf(ell=auto)", options: { C: "10" }, learn: false },
          compared: [{ machine: "gp", kernel: "rbf(ell=1) | x", options: { noise: "a=b|c" }, learn: true }],
        },
      },
    ];
    for (const state of states) expect(round(state)).toEqual(state);
  });

  it("keeps what other screens hold", () => {
    const before: State = { ...first, kernel: { expr: "linear()", seed: 3 } };
    expect(fromHash("#play?task=curve", before)?.kernel).toEqual({ expr: "linear()", seed: 3 });
    expect(fromHash("#kernel", before)).toEqual({ ...before, screen: "kernel" });
  });

  it("is readable", () => {
    expect(toHash({ ...first, screen: "kernel", kernel: { expr: "rbf(ell=1)*linear()", seed: 1 } })).toBe("#kernel?expr=rbf(ell=1)*linear()&seed=1");
  });

  it("takes what makes no sense for nothing", () => {
    expect(fromHash("#nowhere", first)).toBeNull();
    expect(fromHash("", first)).toBeNull();
    expect(fromHash("#play?points=a;1,2,9", first)?.play.points).toBeNull();
    expect(fromHash("#play?points=;x,y", first)?.play.points).toBeNull();
    expect(fromHash("#kernel?seed=many", first)?.kernel.seed).toBe(1);
    expect(fromHash("#fit?data=nothing", first)?.work.data).toBeNull();
  });

  it("holds points to a thousandth", () => {
    expect(pointsFromText(pointsToText({ x: [0.12345], y: [2] }))).toEqual({ x: [0.123], y: [2] });
    expect(pointsFromText(pointsToText({ x: [], y: [] }))).toEqual({ x: [], y: [] });
  });
});

describe("the store", () => {
  it("writes a step of history for a choice, none for a drag or no change", () => {
    const steps: string[] = [];
    const history = {
      pushState: (_: unknown, __: string, to?: string | URL | null) => void steps.push(`push ${to}`),
      replaceState: (_: unknown, __: string, to?: string | URL | null) => void steps.push(`replace ${to}`),
    };
    const store = new Store({ ...first, screen: "kernel" }, history);
    store.change(() => ({ kernel: { expr: "linear()", seed: 1 } }));
    store.change(() => ({ kernel: { expr: "linear()", seed: 2 } }), false);
    store.change(() => ({}));
    expect(steps).toEqual(["push #kernel?expr=linear()&seed=1", "replace #kernel?expr=linear()&seed=2"]);
  });

  it("follows back and forward, and writes nothing then", () => {
    const history = { pushState: () => expect.fail(), replaceState: () => expect.fail() };
    const store = new Store(first, history);
    let seen = "";
    store.listen((state, cause) => (seen = `${state.screen} ${cause}`));
    store.arrive("#kernel?expr=linear()");
    expect(seen).toBe("kernel address");
    expect(store.state.kernel.expr).toBe("linear()");
  });
});
