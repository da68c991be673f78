import { expect, it } from "vitest";
import { enter, Refusal, type Session } from "../../src/studio/api";

const session: Session = { version: "1", folder: null, open: null };

async function come(hash: string, used: boolean) {
  const asked: string[] = [];
  const kept: string[] = [];
  let address = "";
  await enter(
    {
      session: async (token: string) => {
        asked.push(`token ${token}`);
        if (used) throw new Refusal("used", "", "", 403);
        return { ...session, key: "k" };
      },
      reenter: async () => {
        asked.push("key");
        return session;
      },
    },
    { hash, pathname: "/", search: "" } as Location,
    { replaceState: (_: unknown, __: string, to: string) => (address = to) } as unknown as History,
    (key) => kept.push(key),
  );
  return { asked, kept, address };
}

it("gives the token of the address for the key, and keeps the key alone", async () => {
  expect(await come("#token=abc&play", false)).toEqual({ asked: ["token abc"], kept: ["k"], address: "/#play" });
});

it("comes with the key where the address has no token, or a used one", async () => {
  expect(await come("#play", false)).toEqual({ asked: ["key"], kept: [], address: "" });
  expect(await come("#token=abc", true)).toEqual({ asked: ["token abc", "key"], kept: [], address: "/" });
});
