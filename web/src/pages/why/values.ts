// What men are worth at the ends of two lines, and which of them carry the difference.
import type { WhyAnswer } from "../../api";
import type { BoardMark } from "../../boards/board";

/** A square with what its man is worth, in hundredths of a pawn for the first side; none where nothing stands. */
export interface Worth {
  at: string;
  now: number | null;
  of: number | null;
  vs: number | null;
  /** Whether it carries the difference. */
  ring: boolean;
}

/** Men that are marked as carrying the difference. */
const RINGS = 6;
/** The least difference that is marked. */
const LEAST = 15;
const COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

/** All squares with men in one of the positions, those that differ most between both ends first. */
export function atEnds(why: Pick<WhyAnswer, "of" | "vs" | "worths">): Worth[] {
  const men = new Map<string, Worth>();
  const put = (list: [string, number][], field: "now" | "of" | "vs") => {
    for (const [at, worth] of list) {
      const man = men.get(at) ?? { at, now: null, of: null, vs: null, ring: false };
      man[field] = worth;
      men.set(at, man);
    }
  };
  put(why.worths, "now");
  put(why.of.worths, "of");
  put(why.vs?.worths ?? [], "vs");
  const gap = (man: Worth) => Math.abs((man.of ?? 0) - (man.vs ?? 0));
  const list = [...men.values()].sort((a, b) => gap(b) - gap(a) || a.at.localeCompare(b.at));
  if (why.vs) for (const man of list.slice(0, RINGS)) man.ring = gap(man) >= LEAST;
  return list;
}

/** What stands on the board at one end: pawns, the sign for whom they speak. */
export function manMarks(worths: Worth[], end: "of" | "vs"): BoardMark[] {
  return worths
    .filter((man) => man[end] !== null)
    .map((man) => {
      const pawns = man[end]! / 100;
      const text = `${pawns > 0 ? "+" : pawns < 0 ? "−" : ""}${Math.abs(pawns) < 9.95 ? Math.abs(pawns).toFixed(1) : Math.abs(pawns).toFixed(0)}`;
      return { at: man.at, weight: man[end]! / 900, text, ring: man.ring };
    });
}

/** Points by their owner, rows from the top. */
export function pointMarks(rows: number[][]): BoardMark[] {
  return rows.flatMap((row, y) => row.map((weight, x) => ({ at: `${COLUMNS[x]}${rows.length - y}`, weight })));
}
