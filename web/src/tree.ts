// A game with its variations as the page keeps it: nodes with parents, one of them the place where one is.
import type { Move, Place } from "./api";
import type { Mark } from "./pages/sweep/judge";

export interface GameNode {
  parent: number;
  move: Move | null;
  children: number[];
  comment: string;
  /** What kind of mistake the move is, when a sweep found one. */
  mark: Mark | null;
  /** Expected result for the side that moves first, in 0..1, from the last search here. */
  chance: number | null;
  /** The same as the engine says it: hundredths or mate, for the side that moves first. */
  value: string | null;
}

export interface GameTree {
  rules: string;
  start: string | null;
  nodes: GameNode[];
  here: number;
}

const node = (parent: number, move: Move | null): GameNode => ({
  parent,
  move,
  children: [],
  comment: "",
  mark: null,
  chance: null,
  value: null,
});

export function newTree(rules = "", start: string | null = null): GameTree {
  return { rules, start, nodes: [node(0, null)], here: 0 };
}

/** The nodes from the first move to `at`. */
export function path(tree: GameTree, at = tree.here): number[] {
  const steps: number[] = [];
  for (let i = at; i !== 0; i = tree.nodes[i]!.parent) steps.push(i);
  return steps.reverse();
}

/** The place in the game at node `at`, as the server wants it. */
export function place(tree: GameTree, at = tree.here): Place {
  return { rules: tree.rules, start: tree.start, moves: path(tree, at).map((i) => tree.nodes[i]!.move!.move) };
}

/** The tree after `move` is played where one is; a move that was played before is followed. */
export function play(tree: GameTree, move: Move): GameTree {
  const known = tree.nodes[tree.here]!.children.find((i) => tree.nodes[i]!.move!.move === move.move);
  if (known !== undefined) return { ...tree, here: known };
  const nodes = tree.nodes.slice();
  const here = nodes.length;
  nodes.push(node(tree.here, move));
  nodes[tree.here] = { ...nodes[tree.here]!, children: [...nodes[tree.here]!.children, here] };
  return { ...tree, nodes, here };
}

/** The tree with `change` made to node `at`. */
export function note(tree: GameTree, at: number, change: Partial<GameNode>): GameTree {
  const nodes = tree.nodes.slice();
  nodes[at] = { ...nodes[at]!, ...change };
  return { ...tree, nodes };
}

export const back = (tree: GameTree): GameTree => ({ ...tree, here: tree.nodes[tree.here]!.parent });

export function forward(tree: GameTree): GameTree {
  return { ...tree, here: tree.nodes[tree.here]!.children[0] ?? tree.here };
}

/** The last node of the line that goes on through first children. */
export function lineEnd(tree: GameTree, from = tree.here): number {
  let at = from;
  while (tree.nodes[at]!.children.length > 0) at = tree.nodes[at]!.children[0]!;
  return at;
}

/** The next or previous variation at the same move. */
export function sibling(tree: GameTree, step: number): GameTree {
  const all = tree.nodes[tree.nodes[tree.here]!.parent]!.children;
  const at = all.indexOf(tree.here);
  const next = all[at + step];
  return at >= 0 && next !== undefined ? { ...tree, here: next } : tree;
}

/** Removes the moves after the place where one is, and itself; one stands before it then. */
export function cut(tree: GameTree): GameTree {
  if (tree.here === 0) return tree;
  const parent = tree.nodes[tree.here]!.parent;
  const children = tree.nodes[parent]!.children.filter((i) => i !== tree.here);
  return { ...note(tree, parent, { children }), here: parent };
}

/** A tree of one line. */
export function fromLine(at: Place, played: Move[], comments: [number, string][]): GameTree {
  let tree = newTree(at.rules, at.start);
  for (const move of played) tree = play(tree, move);
  for (const [ply, words] of comments) if (ply < tree.nodes.length) tree = note(tree, ply, { comment: words });
  return { ...tree, here: 0 };
}
