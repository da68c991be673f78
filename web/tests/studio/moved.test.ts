import { expect, it } from "vitest";
import type { Check } from "../../src/studio/api";
import { Moved } from "../../src/studio/moved";

it("keeps what is moved while the text is being written", async () => {
  const moved = new Moved();
  moved.arrive("rbf(ell=1)");
  moved.set("rbf.ell", 2);
  let answer: (check: Check) => void = () => {};
  const writing = moved.write("rbf(ell=1)", () => new Promise((resolve) => (answer = resolve)));
  moved.set("rbf.ell", 3);
  answer({ str: "rbf(ell=2)" });
  expect(await writing).toBe("rbf(ell=2)");
  moved.arrive("rbf(ell=2)");
  expect(moved.params).toEqual({ "rbf.ell": 3 });
  expect(await moved.write("rbf(ell=2)", (_, params) => Promise.resolve({ str: `rbf(ell=${params["rbf.ell"]})` }))).toBe("rbf(ell=3)");
  expect(moved.params).toEqual({});
});

it("belongs to one kernel", () => {
  const moved = new Moved();
  moved.set("rbf.ell", 2);
  moved.arrive("matern(nu=1.5, ell=1)");
  expect(moved.params).toEqual({});
});
