// A game with its variations as the page keeps it: nodes with parents, one of them the place where one is.
import type { Ended, Kept, Move, GamePosition, RecordNode, RecordView } from "./api";
import { type Mark, SIGN, markOf } from "./pages/sweep/judge";
import { chanceOf, valueInWords } from "./value";

export interface GameNode {
  parent: number;
  /** None at the start, and where a position is set up. */
  move: Move | null;
  /** The position that is set up here, in the game's notation. */
  setup: string | null;
  /** Whether it was played here since the record was read: only such moves are taken back for good. */
  isOwn: boolean;
  children: number[];
  comment: string;
  /** Numeric annotation glyphs. */
  glyphs: number[];
  /** Times, values and visits of the record: kept as they came. */
  kept: Kept;
  /** Expected result for the side that moves first, in 0..1, from the last search here or the record's value. */
  chance: number | null;
  /** The same as the engine says it: hundredths or mate, for the side that moves first. */
  value: string | null;
  /** Wins, draws and losses of that side as the last search here expects them, in 0..1; none where it does not tell. */
  wdl: [number, number, number] | null;
  /** The lead of that side in points, where the search here knows it. */
  lead: number | null;
}

export interface GameTree {
  rules: string;
  start: string | null;
  tags: [string, string][];
  outcome: Ended | null;
  nodes: GameNode[];
  here: number;
  /** Grows with each change that belongs to the record: moves, comments, glyphs, the result. */
  edits: number;
}

const node = (parent: number, move: Move | null): GameNode => ({
  parent,
  move,
  setup: null,
  isOwn: false,
  children: [],
  comment: "",
  glyphs: [],
  kept: {},
  chance: null,
  value: null,
  wdl: null,
  lead: null,
});

export function newTree(rules = "", start: string | null = null): GameTree {
  return { rules, start, tags: [], outcome: null, nodes: [node(0, null)], here: 0, edits: 0 };
}

/** The nodes from the first move to `at`. */
export function path(tree: GameTree, at = tree.here): number[] {
  const steps: number[] = [];
  for (let i = at; i !== 0; i = tree.nodes[i]!.parent) steps.push(i);
  return steps.reverse();
}

/** The place in the game at node `at`, as the server wants it: what was set up last, and the moves from there. */
export function place(tree: GameTree, at = tree.here): GamePosition {
  const found: GamePosition = { rules: tree.rules, start: tree.start, moves: [] };
  for (const i of path(tree, at)) {
    const { move, setup } = tree.nodes[i]!;
    if (setup !== null) [found.start, found.moves] = [setup, []];
    else found.moves.push(move!.move);
  }
  return found;
}

/** The tree after `move` is played where one is; a move that was played before is followed. */
export function play(tree: GameTree, move: Move): GameTree {
  const known = tree.nodes[tree.here]!.children.find((i) => tree.nodes[i]!.move?.move === move.move);
  if (known !== undefined) return { ...tree, here: known };
  const nodes = tree.nodes.slice();
  const here = nodes.length;
  nodes.push({ ...node(tree.here, move), isOwn: true });
  nodes[tree.here] = { ...nodes[tree.here]!, children: [...nodes[tree.here]!.children, here] };
  return { ...tree, nodes, here, edits: tree.edits + 1 };
}

/** Whether one stands at the end of a game that is over by its result: nothing is played on there. */
export const isOver = (tree: GameTree): boolean => tree.outcome !== null && tree.outcome.by !== "void" && tree.here !== 0 && tree.here === lineEnd(tree, 0);

/** The game with its result, where one stands at its end and it has none. */
export function ending(tree: GameTree, outcome: Ended): GameTree {
  return tree.outcome || tree.here === 0 || tree.here !== lineEnd(tree, 0) ? tree : { ...tree, outcome, edits: tree.edits + 1 };
}

/** The tree with `change` made to node `at`. */
export function note(tree: GameTree, at: number, change: Partial<GameNode>): GameTree {
  const nodes = tree.nodes.slice();
  nodes[at] = { ...nodes[at]!, ...change };
  const isEdit = (["children", "comment", "glyphs", "kept"] as const).some((part) => part in change);
  return { ...tree, nodes, edits: tree.edits + Number(isEdit) };
}

/** What kind of mistake the move at a node is by its glyphs, if it is one. */
export const mark = (node: GameNode): Mark | null => markOf(node.glyphs);

/** Moves on the way to `here` whose marks are told on the board. */
const FAULTS_SHOWN = 8;

/** The last moves on the way to `here` that a review or an annotator marked, with their signs. */
export function faults(tree: GameTree): { move: string; sign: string }[] {
  const told = path(tree).flatMap((i) => {
    const { move } = tree.nodes[i]!;
    const found = mark(tree.nodes[i]!);
    return move && found ? [{ move: move.move, sign: SIGN[found] }] : [];
  });
  return told.slice(-FAULTS_SHOWN);
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

/** The way to node `at` where it leaves first children: `7-2.9-3` is the second move at ply 7 and the third at ply 9. Empty: the main line. */
export function wayTo(tree: GameTree, at = tree.here): string {
  const turns = path(tree, at).map((i, before) => [before + 1, tree.nodes[tree.nodes[i]!.parent]!.children.indexOf(i) + 1]);
  return turns.filter(([, choice]) => choice !== 1).map((turn) => turn.join("-")).join(".");
}

/** The node after `ply` steps of a way (none: at its end), as far as the tree has it. */
export function along(tree: GameTree, way: string, ply: number | null): number {
  const turns = new Map(way.split(".").map((turn) => turn.split("-").map(Number) as [number, number]));
  let at = 0;
  for (let n = 1; ply === null || n <= ply; n++) {
    const { children } = tree.nodes[at]!;
    const next = children[(turns.get(n) ?? 1) - 1] ?? children[0];
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

/** The next or previous variation at the same move. */
export function sibling(tree: GameTree, step: number): GameTree {
  const all = tree.nodes[tree.nodes[tree.here]!.parent]!.children;
  const at = all.indexOf(tree.here);
  const next = all[at + step];
  return at >= 0 && next !== undefined ? { ...tree, here: next } : tree;
}

/** Removes the move where one is and all that follow it; one stands before it then. */
export function cut(tree: GameTree): GameTree {
  if (tree.here === 0) return tree;
  const parent = tree.nodes[tree.here]!.parent;
  const children = tree.nodes[parent]!.children.filter((i) => i !== tree.here);
  return { ...note(tree, parent, { children }), here: parent };
}

/** One stands a move earlier; the move itself goes only where it was just played here and nothing hangs on it. */
export function takeBack(tree: GameTree): GameTree {
  const { isOwn, children, comment, glyphs, kept } = tree.nodes[tree.here]!;
  const isBare = children.length === 0 && !comment && glyphs.length === 0 && Object.keys(kept).length === 0;
  return isOwn && isBare ? cut(tree) : back(tree);
}

/** The moves that [`cut`] would remove. */
export function countFrom(tree: GameTree, at = tree.here): number {
  const left = [at];
  let n = 0;
  for (let i = left.pop(); i !== undefined; i = left.pop()) {
    n += 1;
    left.push(...tree.nodes[i]!.children);
  }
  return n;
}

/** A tree of one line. */
export function fromLine(at: GamePosition, played: Move[]): GameTree {
  const tree = played.reduce(play, newTree(at.rules, at.start));
  return { ...tree, nodes: tree.nodes.map((made) => ({ ...made, isOwn: false })), here: 0, edits: 0 };
}

/** How a record's value of a move by `mover` is shown. */
export function shown(value: number, mover: number): Pick<GameNode, "chance" | "value"> {
  const first = mover === 0 ? value : -value;
  return { chance: chanceOf(first), value: valueInWords(first) };
}

/** The last node of the game as it was played. */
const gameEnd = (tree: GameTree): number => lineEnd(tree, 0);

/** The tree with its result at the end of the game, where no value says more. */
function withResult(tree: GameTree): GameTree {
  const at = gameEnd(tree);
  if (!tree.outcome || tree.outcome.by === "void" || at === 0 || tree.nodes[at]!.kept.value !== undefined) return tree;
  const { winner } = tree.outcome;
  const [chance, value] = winner === null ? [0.5, "="] : winner === 0 ? [1, "1-0"] : [0, "0-1"];
  return note(tree, at, { chance, value });
}

/** The tree with the end of the game by the rules at node `at`; only the end of the game as it was played is one of the record. */
export function endAt(tree: GameTree, at: number, outcome: Ended): GameTree {
  if (at !== gameEnd(tree)) return tree;
  return withResult(tree.outcome ? tree : { ...tree, outcome, edits: tree.edits + 1 });
}

/** The tree of a record; `side` moves first in it. One stands at its start. */
export function fromRecord(record: RecordView, side = 0): GameTree {
  const nodes = record.nodes.map(({ parent, move, text, setup, comment, glyphs, ...kept }): GameNode => {
    const made = { ...node(parent, move === undefined ? null : { move, text: text ?? move }), setup: setup ?? null };
    return { ...made, comment: comment ?? "", glyphs: glyphs ?? [], kept };
  });
  if (nodes.length === 0) nodes.push(node(0, null));
  // Who moved at each node: moves alternate from the start. After a setup that is not known, and no value is shown.
  const movers: (number | null)[] = [1 - side];
  nodes.forEach((made, i) => {
    if (i > 0) {
      nodes[made.parent]!.children.push(i);
      const before = movers[made.parent]!;
      movers[i] = made.setup !== null || before === null ? null : 1 - before;
    }
    const [{ value }, mover] = [made.kept, movers[i]!];
    if (value !== undefined && mover !== null) Object.assign(made, shown(value, mover));
  });
  return withResult({ rules: record.rules, start: record.start, tags: record.tags, outcome: record.outcome, nodes, here: 0, edits: 0 });
}

/** The record of a tree: all that can be reached in it, parents before children, siblings in their order. */
export function toRecord(tree: GameTree): RecordView {
  const nodes: RecordNode[] = [];
  const left: [at: number, parent: number][] = [[0, 0]];
  while (left.length > 0) {
    const [at, parent] = left.pop()!;
    const { move, setup, children, comment, glyphs, kept } = tree.nodes[at]!;
    const self = nodes.length;
    const made: RecordNode = { parent, ...kept };
    if (move) [made.move, made.text] = [move.move, move.text];
    if (setup !== null) made.setup = setup;
    if (comment) made.comment = comment;
    if (glyphs.length > 0) made.glyphs = glyphs;
    nodes.push(made);
    for (const child of [...children].reverse()) left.push([child, self]);
  }
  const { rules, start, tags, outcome } = tree;
  return { rules, start, tags, outcome, nodes };
}

/** The node where the place `at` is; none where the tree lacks it. */
function find(tree: GameTree, at: GamePosition): number | null {
  if (tree.rules !== at.rules) return null;
  const begins = tree.nodes.flatMap(({ setup }, i) => ((i === 0 ? tree.start : setup) === at.start && (i === 0 || setup !== null) ? [i] : []));
  for (const begin of begins) {
    let here: number | undefined = begin;
    for (const move of at.moves) here = here === undefined ? here : tree.nodes[here]!.children.find((i) => tree.nodes[i]!.move?.move === move);
    if (here !== undefined) return here;
  }
  return null;
}

/** Whether the tree has the line of `at`. */
export const has = (tree: GameTree, at: GamePosition): boolean => find(tree, at) !== null;

/** The tree with one standing after the first `ply` moves of `at`; moves that it lacks are added as a variation. `null`: another game. */
export function standAt(tree: GameTree, at: GamePosition, ply: number, played: Move[]): GameTree | null {
  let whole = tree;
  if (find(tree, at) === null) {
    if (tree.rules !== at.rules || tree.start !== at.start) return null;
    whole = played.reduce(play, { ...tree, here: 0 });
  }
  const here = find(whole, { ...at, moves: at.moves.slice(0, ply) });
  return here === null ? null : { ...whole, here };
}
