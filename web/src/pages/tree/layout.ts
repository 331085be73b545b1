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
    const children = forest.children(box.slot);
    if (children.length === 0) continue;
    let sum = 0;
    for (const s of children) sum += forest.effort[s]!;
    // Alpha-beta counts all iterations at the root and the last one below it: the root is as wide as what is below it.
    const whole = box.ply === 0 ? sum : Math.max(sum, forest.effort[box.slot]!);
    const unit = box.width / Math.max(whole, 1);
    let x = box.x;
    const list = children.length > 1 ? Array.from(children).sort((a, b) => forest.effort[b]! - forest.effort[a]!) : children;
    for (const s of list) {
      const wide = forest.effort[s]! * unit;
      if (wide < THIN) break;
      if (x + wide > 0 && x < width) todo.push({ slot: s, x, width: wide, ply: box.ply + 1 });
      x += wide;
    }
  }
  return boxes;
}
