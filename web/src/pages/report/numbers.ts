// What a review says of a whole game: accuracy and losses of both sides, by part of the game, and its marks.
import { type Mark, MARKS } from "../sweep/judge";
import * as tree from "../../tree";

/** A move of the line with what it cost its side. */
export interface Played {
  /** The node that it leads to. */
  node: number;
  /** From 1. */
  ply: number;
  side: number;
  /** Points of expected result that it cost, in 0..100; none where a value is missing. */
  loss: number | null;
  mark: Mark | null;
}

/** Parts of a game, as thirds of its moves. */
export const PARTS = ["opening", "middle", "end"] as const;
export type Part = (typeof PARTS)[number];

export interface SideNumbers {
  /** Mean accuracy of its moves, in 0..100; none where no move has values. */
  accuracy: number | null;
  /** Mean points lost by a move, by part of the game. */
  losses: Record<Part, number | null>;
  marks: Record<Mark, number>;
}

/** The moves of the line from the start to its end; `side` moves first. */
export function playedOf(record: tree.GameTree, side: number): Played[] {
  const steps = tree.path(record, tree.lineEnd(record, 0));
  return steps.map((node, i) => {
    const mover = (side + i) % 2;
    const [before, after] = [record.nodes[record.nodes[node]!.parent]!.chance, record.nodes[node]!.chance];
    const gain = before === null || after === null ? null : 100 * (mover === 0 ? after - before : before - after);
    return { node, ply: i + 1, side: mover, loss: gain === null ? null : Math.max(0, -gain), mark: tree.mark(record.nodes[node]!) };
  });
}

/** How accurate a move is that loses so many points: the curve of lichess (lichess.org/page/accuracy, 2022), in 0..100. */
export const accuracy = (loss: number): number => Math.max(0, Math.min(100, 103.1668 * Math.exp(-0.04354 * loss) - 3.1669));

const mean = (numbers: number[]): number | null => (numbers.length === 0 ? null : numbers.reduce((sum, n) => sum + n, 0) / numbers.length);

/** The part of a game of `of` moves in which move `ply` was played. */
export const partOf = (ply: number, of: number): Part => PARTS[Math.min(2, Math.floor((3 * (ply - 1)) / of))]!;

/** The numbers of a side. */
export function numbersOf(played: Played[], side: number): SideNumbers {
  const own = played.filter((move) => move.side === side);
  const losses = (moves: Played[]) => moves.map(({ loss }) => loss).filter((loss): loss is number => loss !== null);
  const by = (part: Part) => mean(losses(own.filter(({ ply }) => partOf(ply, played.length) === part)));
  const count = (mark: Mark) => own.filter((move) => move.mark === mark).length;
  return {
    accuracy: mean(losses(own).map(accuracy)),
    losses: { opening: by("opening"), middle: by("middle"), end: by("end") },
    marks: Object.fromEntries(MARKS.map((mark) => [mark, count(mark)])) as Record<Mark, number>,
  };
}

/** The expected result of the first side along the line as the points of an SVG polygon `width` × `height`, white below. */
export function areaOf(chances: (number | null)[], width: number, height: number): string {
  const last = Math.max(1, chances.length - 1);
  const points = chances.flatMap((chance, i) => (chance === null ? [] : [`${((i * width) / last).toFixed(1)},${((1 - chance) * height).toFixed(1)}`]));
  if (points.length === 0) return "";
  const [first, end] = [points[0]!.split(",")[0], points[points.length - 1]!.split(",")[0]];
  return [`${first},${height}`, ...points, `${end},${height}`].join(" ");
}
