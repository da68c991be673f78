// Names beside points so that no two touch: the first of eight places around a point that is free, or none.
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const touch = (a: Box, b: Box): boolean => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** The place of each label (null: no room), given pixels of points and sizes of labels, inside `frame`. Earlier ones choose first. */
export function labelPlaces(x: ArrayLike<number>, y: ArrayLike<number>, sizes: { width: number; height: number }[], frame: Box, gap = 6): (Box | null)[] {
  const taken: Box[] = [];
  for (let i = 0; i < sizes.length; ++i) if (Number.isFinite(x[i]) && Number.isFinite(y[i])) taken.push({ x: x[i] - 4, y: y[i] - 4, width: 8, height: 8 });
  return sizes.map(({ width, height }, i) => {
    if (!Number.isFinite(x[i]) || !Number.isFinite(y[i])) return null;
    const [px, py] = [x[i], y[i]];
    const middle = { x: px - width / 2, y: py - height / 2 };
    const [left, right, above, below] = [px - gap - width, px + gap, py - gap - height, py + gap];
    const places = [[right, middle.y], [left, middle.y], [middle.x, above], [middle.x, below], [right, above], [right, below], [left, above], [left, below]];
    for (const [bx, by] of places) {
      const box = { x: bx, y: by, width, height };
      const inside = bx >= frame.x && by >= frame.y && bx + width <= frame.x + frame.width && by + height <= frame.y + frame.height;
      if (!inside || taken.some((other) => touch(box, other))) continue;
      taken.push(box);
      return box;
    }
    return null;
  });
}
