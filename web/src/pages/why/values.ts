// The worth of pieces at the ends of two lines, and which of them carry the difference.
import type { WhyAnswer } from "../../api";
import type { BoardMark } from "../../boards/board";

/** A square with what its piece is worth, in hundredths of a pawn for the first side; none where nothing stands. */
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

/** Worths of pieces at both ends and now, as the server tells them. */
interface Told {
  of: Pick<WhyAnswer["of"], "worths">;
  vs: Pick<WhyAnswer["of"], "worths"> | null;
  worths: WhyAnswer["worths"];
}

/** All squares with pieces in one of the positions, those that differ most between both ends first. */
export function atEnds(why: Told): Worth[] {
  const pieces = new Map<string, Worth>();
  const put = (list: [string, number][], field: "now" | "of" | "vs") => {
    for (const [at, worth] of list) {
      const piece = pieces.get(at) ?? { at, now: null, of: null, vs: null, ring: false };
      piece[field] = worth;
      pieces.set(at, piece);
    }
  };
  put(why.worths, "now");
  put(why.of.worths, "of");
  put(why.vs?.worths ?? [], "vs");
  const gap = (piece: Worth) => Math.abs((piece.of ?? 0) - (piece.vs ?? 0));
  const list = [...pieces.values()].sort((a, b) => gap(b) - gap(a) || a.at.localeCompare(b.at));
  if (why.vs) for (const piece of list.slice(0, RINGS)) piece.ring = gap(piece) >= LEAST;
  return list;
}

/** What stands on the board at one end: pawns, in shogi whole points, the sign for whom they speak. */
export function manMarks(game: string, worths: Worth[], end: "of" | "vs"): BoardMark[] {
  return worths
    .filter((piece) => piece[end] !== null)
    .map((piece) => {
      const pawns = piece[end]! / 100;
      const far = Math.abs(pawns);
      const size = game === "shogi" ? Math.round(100 * far) : far < 9.95 ? far.toFixed(1) : far.toFixed(0);
      const text = `${pawns > 0 ? "+" : pawns < 0 ? "−" : ""}${size}`;
      return { at: piece.at, weight: piece[end]! / 900, text, ring: piece.ring };
    });
}

/** Points by their owner, rows from the top. */
export function pointMarks(rows: number[][]): BoardMark[] {
  return rows.flatMap((row, y) => row.map((weight, x) => ({ at: `${COLUMNS[x]}${rows.length - y}`, weight })));
}
