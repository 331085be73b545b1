// Two trees side by side.
import type { Forest } from "./forest";

export interface Pair {
  move: string;
  a: number;
  b: number;
  /** Points of expected result between the two. */
  gap: number;
}

/** The moves below two nodes that stand for the same position, the largest disagreement first. */
export function pairs(one: Forest, a: number, two: Forest, b: number): Pair[] {
  const of = (forest: Forest, slot: number) => {
    const moves = new Map<string, number>();
    for (const s of forest.sorted(slot, "effort")) if (!forest.isIdle(s) && !moves.has(forest.move(s))) moves.set(forest.move(s), s);
    return moves;
  };
  const [left, right] = [of(one, a), of(two, b)];
  const all = new Set([...left.keys(), ...right.keys()]);
  const list = [...all].filter(Boolean).map((move) => {
    const [x, y] = [left.get(move) ?? -1, right.get(move) ?? -1];
    const gap = x >= 0 && y >= 0 ? Math.abs(one.value[x]! - two.value[y]!) * 50 : 0;
    return { move, a: x, b: y, gap };
  });
  return list.sort((p, q) => q.gap - p.gap);
}

/** The moves to the first node, by the first search's effort, where the two would play differently. */
export function parting(one: Forest, two: Forest, byEffort: [boolean, boolean]): string[] | null {
  const todo: [number, number][] = [[one.root, two.root]];
  for (let looked = 0; todo.length > 0 && looked < 5000; looked++) {
    todo.sort((p, q) => one.effort[q[0]]! - one.effort[p[0]]!);
    const [a, b] = todo.shift()!;
    const [x, y] = [one.best(a, byEffort[0]), two.best(b, byEffort[1])];
    if (x < 0 || y < 0) continue;
    if (one.move(x) !== two.move(y)) return one.path(a).map((s) => one.move(s));
    for (const pair of pairs(one, a, two, b)) if (pair.a >= 0 && pair.b >= 0) todo.push([pair.a, pair.b]);
  }
  return null;
}
