// The pictures of a fit: each keeps its place when the next fit comes.
import type { Exhibit } from "../charts/types";
import { h } from "../kit/dom";
import { Picture } from "./picture";

export class Pictures {
  readonly el = h("div", { class: "gallery" });
  private readonly all = new Map<string, Picture>();

  /** `only`: the others stay as they are, greyed, since they show an earlier fit. */
  show(exhibits: Exhibit[], only = false): void {
    if (!only)
      for (const [id, picture] of this.all)
        if (!exhibits.some((e) => e.id === id)) {
          picture.el.remove();
          this.all.delete(id);
        }
    for (const picture of this.all.values()) picture.el.classList.toggle("stale", only);
    exhibits.forEach((exhibit, i) => {
      let picture = this.all.get(exhibit.id);
      if (!picture) this.all.set(exhibit.id, (picture = new Picture(undefined, exhibit.title)));
      if (!only && this.el.children[i] !== picture.el) this.el.insertBefore(picture.el, this.el.children[i] ?? null);
      picture.el.classList.remove("stale");
      picture.show(exhibit);
    });
  }
}
