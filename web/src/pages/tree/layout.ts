// Where the nodes of an icicle are: one pass from the root, only over what can be seen.
import type { Forest } from "./forest";

/** Plies that are drawn. */
export const ROWS = 18;
/** Narrower nodes are not drawn, nor what is below them. */
const THIN = 0.4;

export interface Box {
  slot: number;
  x: number;
  width: number;
  ply: number;
}

/** Where the nodes are that can be seen: `from` and `to` are the part of the root's width on a canvas of `width`. */
export function layout(forest: Forest, width: number, from: number, to: number, rows = ROWS): Box[] {
  const scale = width / Math.max(1e-9, to - from);
  const boxes: Box[] = [];
  const todo: Box[] = [{ slot: forest.root, x: -from * scale, width: scale, ply: 0 }];
  for (let box = todo.pop(); box; box = todo.pop()) {
    boxes.push(box);
    if (box.ply + 1 >= rows) continue;
    const { list, sum } = forest.byEffort(box.slot);
    if (list.length === 0) continue;
    // Alpha-beta counts all iterations at the root and the last one below it: the root is as wide as what is below it.
    const whole = box.ply === 0 ? sum : Math.max(sum, forest.effort[box.slot]!);
    const unit = box.width / Math.max(whole, 1);
    let x = box.x;
    for (const s of list) {
      const wide = forest.effort[s]! * unit;
      // What follows is thinner still, or out of sight.
      if (wide < THIN || x >= width) break;
      if (x + wide > 0) todo.push({ slot: s, x, width: wide, ply: box.ply + 1 });
      x += wide;
    }
  }
  return boxes;
}
