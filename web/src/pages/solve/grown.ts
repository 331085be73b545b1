// The tree of a solver at work: nodes as it shows them, found again by their moves from picture to picture.

import type { Schemas } from "../../api";

export type GrownNode = Schemas["PictureNode"];
/** What a solver shows of itself. */
export type Growing = Schemas["MatePicture"];

/** The children of each node, those most worked on first. */
export function childrenOf(tree: GrownNode[]): number[][] {
  const below: number[][] = tree.map(() => []);
  tree.forEach((node, i) => node.parent !== null && below[node.parent]!.push(i));
  for (const list of below) list.sort((a, b) => tree[b]!.work - tree[a]!.work || tree[a]!.move.localeCompare(tree[b]!.move));
  return below;
}

/** The nodes that moves lead to, the root first, as far as they are there. */
export function follow(tree: GrownNode[], below: number[][], moves: string[]): number[] {
  const path = [0];
  for (const move of moves) {
    const next = below[path[path.length - 1]!]!.find((i) => tree[i]!.move === move);
    if (next === undefined) break;
    path.push(next);
  }
  return path;
}

/** `✔` proved, `✘` disproved, `…` open: said by shape. */
export function verdict(node: GrownNode): "proved" | "disproved" | "open" {
  return node.pn === 0 ? "proved" : node.dn === 0 ? "disproved" : "open";
}

/** The child that the solver must prove or disprove next: the least proof number for the attacker, the least disproof number else. */
export function next(tree: GrownNode[], children: number[], attacks: boolean): number | null {
  const open = children.filter((i) => verdict(tree[i]!) === "open");
  const cost = (i: number) => (attacks ? tree[i]!.pn : tree[i]!.dn);
  return open.length === 0 ? null : open.reduce((best, i) => (cost(i) < cost(best) ? i : best));
}
