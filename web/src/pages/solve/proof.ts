// A proof as the solver writes it: every position once, with the moves that matter. The file holds no distances: the length of the
// longest resistance is found here, also of proofs that were saved by older versions.

import type { Schemas } from "../../api";

export type Proof = Schemas["Proof"];

/** Plies from each node to the end when the defender holds out as long as it can: 0 where it is mated. */
export function lengths(proof: Proof): number[] {
  const known = new Array<number>(proof.nodes.length).fill(-1);
  // A stack of our own: proofs may be thousands of plies deep.
  const stack = [0];
  const open = new Set<number>();
  while (stack.length > 0) {
    const id = stack[stack.length - 1]!;
    const node = proof.nodes[id]!;
    const waiting = open.has(id) ? [] : node.moves.filter(({ to }) => known[to] === -1 && !open.has(to));
    open.add(id);
    if (waiting.length > 0) {
      stack.push(...waiting.map(({ to }) => to));
      continue;
    }
    stack.pop();
    open.delete(id);
    if (known[id] !== -1) continue;
    const below = node.moves.map(({ to }) => Math.max(0, known[to]!));
    known[id] = below.length === 0 ? 0 : 1 + (node.attacker_moves ? Math.min(...below) : Math.max(...below));
  }
  return known;
}

/** The moves of a node, the longest resistance first. */
export function sorted(proof: Proof, long: number[], id: number): { move: string; to: number; plies: number }[] {
  const moves = proof.nodes[id]!.moves.map(({ move, to }) => ({ move, to, plies: 1 + Math.max(0, long[to]!) }));
  return moves.sort((a, b) => b.plies - a.plies || a.move.localeCompare(b.move));
}

/** The path from `path` on along the main line to its end. */
export function mainLine(proof: Proof, long: number[], path: number[]): number[] {
  const line = [...path];
  for (;;) {
    const next = sorted(proof, long, line[line.length - 1]!)[0];
    if (!next || line.includes(next.to)) return line;
    line.push(next.to);
  }
}
