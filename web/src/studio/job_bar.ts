// What the server is busy with for this page, how far it is, and a way to stop it. Quick work is not worth a bar.
import { h } from "../kit/dom";
import type { Jobs } from "./jobs";

export function jobBar(jobs: Jobs): HTMLElement {
  const words = h("span");
  const bar = h("progress", { max: 1 });
  const stop = h("button", { type: "button", class: "quiet" }, "Stop");
  const el = h("div", { class: "job-bar", role: "status", hidden: true }, words, bar, stop);
  let slots: string[] = [];
  let wait: ReturnType<typeof setTimeout> | null = null;
  stop.addEventListener("click", () => slots.forEach((slot) => void jobs.cancel(slot).catch(() => {})));
  jobs.watch((all) => {
    slots = all.map((job) => job.slot);
    if (all.length === 0) {
      if (wait) clearTimeout(wait);
      wait = null;
      el.hidden = true;
      return;
    }
    wait ??= setTimeout(() => (el.hidden = slots.length === 0), 400);
    const { stage, fraction } = all[all.length - 1];
    words.textContent = stage || "working";
    if (fraction === null) bar.removeAttribute("value");
    else bar.value = fraction;
  });
  return el;
}
