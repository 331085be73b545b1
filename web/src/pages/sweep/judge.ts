// The classes of mistakes, by the fall of the expected result.

export type Mark = "inaccuracy" | "mistake" | "blunder";

/** The loss of expected result, in 0..1, from which a move is one of these, the worst first (as lichess draws the lines, and the server judges). */
export const LINES: [Mark, number][] = [
  ["blunder", 0.15],
  ["mistake", 0.1],
  ["inaccuracy", 0.05],
];

/** The usual signs of annotators. */
export const SIGN: Record<Mark, string> = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/** The same as numeric annotation glyphs. */
export const GLYPH: Record<Mark, number> = { inaccuracy: 6, mistake: 2, blunder: 4 };

/** The kind of mistake that glyphs name, the worst if they name several. */
export function markOf(glyphs: number[]): Mark | null {
  return LINES.find(([mark]) => glyphs.includes(GLYPH[mark]))?.[0] ?? null;
}

/** The next of `marks` after `here`, round the end; -1: there is none. `least` leaves out what is less bad. */
export function next(marks: (Mark | null)[], here: number, least: Mark): number {
  const rank = (mark: Mark | null) => (mark === null ? 99 : LINES.findIndex(([name]) => name === mark));
  const wanted = rank(least);
  for (let i = 1; i <= marks.length; i++) {
    const at = (here + i) % marks.length;
    if (rank(marks[at]!) <= wanted) return at;
  }
  return -1;
}
