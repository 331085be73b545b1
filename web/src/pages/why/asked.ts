// Which move "Why not my move?" is about.
import type { GameTree } from "../../tree";

/** The node whose move is asked about: the last one, against an engine the person's own. `mover` played the last one; none: there is nothing to ask. */
export function askedNode({ nodes, here }: GameTree, mover: number, plays: number[]): number | null {
  const last = nodes[here]!;
  const isEngines = plays.length === 1 && plays[0] === mover;
  if (isEngines && nodes[last.parent]!.move) return last.parent;
  return last.move ? here : null;
}
