// Whether something is to be seen.
import type { Locator } from "@playwright/test";

/** Every canvas inside has more than its grid on it: two colours at least. Without a canvas: words, or an SVG with marks. */
export function painted(element: Locator): Promise<boolean> {
  return element.evaluate((el) => {
    const canvases = [...el.querySelectorAll("canvas")];
    if (!canvases.length) return (el.textContent ?? "").trim() !== "" || el.querySelectorAll("svg > *").length > 0;
    return canvases.every((canvas) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set<number>();
      const words = new Uint32Array(data.buffer);
      for (let i = 0; i < words.length && colours.size < 2; ++i) if (data[4 * i + 3]) colours.add(words[i]);
      return colours.size >= 2;
    });
  });
}
