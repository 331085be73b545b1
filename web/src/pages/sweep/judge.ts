// The classes of mistakes: their signs, their glyphs and their order.
import type { Schemas } from "../../api";

export type Mark = Schemas["MoveMark"];

/** The worst first. What a move must lose to be one of these the server alone knows. */
export const MARKS: Mark[] = ["blunder", "mistake", "inaccuracy"];

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
