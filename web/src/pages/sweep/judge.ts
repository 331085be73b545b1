// The classes of mistakes: their signs, their glyphs and their order.
import type { Schemas } from "../../api";

export type Mark = Schemas["MoveMark"];

/** The worst first. */
export const MARKS: Mark[] = ["blunder", "mistake", "inaccuracy"];

/** Hundredths of expected result that a move loses at least to be one of these, as the server judges; `twins.test.ts` compares the numbers. */
export const LEAST: Record<Mark, number> = { inaccuracy: 5, mistake: 10, blunder: 15 };

/** The mark that a loss of expected result, in 0..1, deserves. */
export const markFor = (cost: number): Mark | null => MARKS.find((mark) => Math.round(100 * cost) >= LEAST[mark]) ?? null;

/** The usual signs of annotators. */
export const SIGN: Record<Mark, string> = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/** The same as numeric annotation glyphs. */
export const GLYPH: Record<Mark, number> = { inaccuracy: 6, mistake: 2, blunder: 4 };

/** The kind of mistake that glyphs name, the worst if they name several. */
export function markOf(glyphs: number[]): Mark | null {
  return MARKS.find((mark) => glyphs.includes(GLYPH[mark])) ?? null;
}

/** The next of `marks` after `here`, round the end; -1: there is none. `least` leaves out what is less bad. */
export function next(marks: (Mark | null)[], here: number, least: Mark): number {
  const rank = (mark: Mark | null) => (mark === null ? 99 : MARKS.indexOf(mark));
  const wanted = rank(least);
  for (let i = 1; i <= marks.length; i++) {
    const at = (here + i) % marks.length;
    if (rank(marks[at]!) <= wanted) return at;
  }
  return -1;
}

/** Nodes that a review gives each move where one says nothing: a fraction of a second of each search, and enough of it that good moves are
 * not taken for mistakes. */
export const usualNodes = (game: string, family: string): number => (game === "go" ? 500 : ["mcts", "best-first"].includes(family) ? 5_000 : 100_000);
