// jsdom has no canvas: one that takes every order, counts the marks and measures letters as seven pixels wide.
import { vi } from "vitest";

export const marks = { count: 0 };

export function standInCanvas(): void {
  const context = new Proxy({} as Record<string, unknown>, {
    get: (held, name: string) => {
      if (name === "measureText") return (words: string) => ({ width: 7 * words.length });
      if (name === "getImageData") return (_x: number, _y: number, width: number, height: number) => new ImageData(width, height);
      if (name in held) return held[name];
      return () => void marks.count++;
    },
    set: (held, name: string, value) => ((held[name] = value), true),
  });
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(context as never);
  vi.stubGlobal(
    "ImageData",
    class {
      data: Uint8ClampedArray;
      constructor(width: number, height: number) {
        this.data = new Uint8ClampedArray(4 * width * height);
      }
    },
  );
}
