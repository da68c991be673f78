import { expect, it } from "vitest";
import { extent, percent, text, unpack } from "./numbers";

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
const floats = (...values: number[]) => {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, i) => view.setFloat32(4 * i, value, true));
  return base64(new Uint8Array(view.buffer));
};

it("unpacks plain numbers, floats with an offset, and bytes", () => {
  expect([...unpack([1, null, -2.5])]).toEqual([1, NaN, -2.5]);
  expect([...unpack({ f32: floats(0.5, NaN, -3) })]).toEqual([0.5, NaN, -3]);
  // An offset keeps digits that float32 has not: seconds of our years.
  expect([...unpack({ f32: floats(0.25, 1), offset: 1.7e9 })]).toEqual([1.7e9 + 0.25, 1.7e9 + 1]);
  expect([...unpack({ u8: base64(Uint8Array.of(0, 255)), min: -1, max: 3 })]).toEqual([-1, 3]);
  expect(unpack({ f32: "" })).toHaveLength(0);
  expect(unpack([])).toHaveLength(0);
});

it("says numbers as people write them", () => {
  expect(text(3.14159)).toBe("3.142");
  expect(text(-0.5)).toBe("−0.5");
  expect(text(12345)).toBe("12\u202f345");
  expect(text(1234)).toBe("1234");
  expect(text(123456.7)).toBe("123\u202f457");
  expect(text(1.234e-7)).toBe("1.234×10⁻⁷");
  expect(text(-2.5e12)).toBe("−2.5×10¹²");
  expect(text(0)).toBe("0");
  expect(text(null)).toBe("–");
  expect(text(NaN)).toBe("–");
  expect(text(-Infinity)).toBe("−∞");
  expect(percent(0.938)).toBe("93.8\u202f%");
});

it("finds the ends of what is finite", () => {
  expect(extent([NaN, 3, -1], [Infinity, 7])).toEqual([-1, 7]);
  expect(extent([])).toEqual([Infinity, -Infinity]);
});
