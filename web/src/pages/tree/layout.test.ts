// A large tree: a frame costs what is seen of it, whatever its size.
import { expect, it, vi } from "vitest";
import { Forest, HEAD, RECORD } from "./forest";
import { layout } from "./layout";

const [WIDE, DEEP] = [1000, 499];

/** A root with 1,000 children of 499 leaves each: 500,001 nodes in one frame. */
function large(): Forest {
  const count = 1 + WIDE * (1 + DEEP);
  const view = new DataView(new ArrayBuffer(HEAD + RECORD * count));
  view.setUint8(0, 1);
  view.setUint8(1, 1);
  view.setUint32(8, count, true);
  let id = 0;
  const put = (parent: number, ply: number, effort: number) => {
    const at = HEAD + RECORD * id;
    view.setUint32(at, id, true);
    view.setUint32(at + 4, parent, true);
    view.setUint8(at + 10, ply);
    view.setFloat32(at + 16, effort, true);
    return id++;
  };
  put(0, 0, WIDE * DEEP);
  for (let i = 0; i < WIDE; i++) {
    const child = put(0, 1, DEEP);
    for (let j = 0; j < DEEP; j++) put(child, 2, 1);
  }
  const forest = new Forest();
  forest.read(view.buffer);
  return forest;
}

it("of 500,000 nodes draws those that can be seen, and sorts each once", () => {
  const forest = large();
  expect(forest.size).toBe(500_001);
  const children = vi.spyOn(forest, "children");
  // A child is a pixel wide, its leaves are too thin.
  expect(layout(forest, 1000, 0, 1).length).toBe(1 + WIDE);
  expect(children).toHaveBeenCalledTimes(1 + WIDE);
  // One child on the whole canvas: its leaves, and the neighbours that touch the edges.
  children.mockClear();
  const close = layout(forest, 1000, 0.5, 0.501);
  expect(close.length).toBeGreaterThanOrEqual(2 + DEEP);
  expect(close.length).toBeLessThan(2 * (2 + DEEP));
  // What was sorted stays so while one zooms.
  layout(forest, 1000, 0.2, 0.9);
  const before = children.mock.calls.length;
  for (let i = 1; i < 60; i++) layout(forest, 1000, 0.2 + i / 1000, 0.9 - i / 1000);
  expect(children.mock.calls.length).toBe(before);
});

it("shows a move once that alpha-beta searched again and again", () => {
  const view = new DataView(new ArrayBuffer(HEAD + RECORD * 4));
  view.setUint8(0, 1);
  view.setUint8(1, 1);
  view.setUint32(8, 4, true);
  // The root; move 1 with 5 nodes, again with 90; move 2 with 10.
  for (const [id, code, effort] of [[0, 0, 105], [1, 1, 5], [2, 1, 90], [3, 2, 10]] as const) {
    const at = HEAD + RECORD * id;
    view.setUint32(at, id, true);
    view.setUint16(at + 8, code, true);
    view.setUint8(at + 10, id === 0 ? 0 : 1);
    view.setFloat32(at + 16, effort, true);
  }
  const forest = new Forest();
  forest.codes = ["", "g2g3", "e2e4"];
  forest.read(view.buffer);
  const ids = (slots: number[]) => slots.map((slot) => forest.id[slot]);
  expect(ids(forest.rows(forest.root, "effort"))).toEqual([2, 3]);
  expect(ids(forest.sorted(forest.root, "effort"))).toEqual([2, 3, 1]);
});
