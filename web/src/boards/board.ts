// What a board is given and tells, whatever the game.
import type { FoundLine, Move } from "../api";
import type { Sign } from "../markup";

export interface Arrow {
  /** The move in the protocol's notation. */
  move: string;
  /** 1 for the best candidate, 2 for the next… */
  rank: number;
  /** What stands on it: a value or a share. */
  chip?: string;
  /** Share of the search's effort, in 0..1: the width. */
  share: number;
}

/** A value on a square or point. */
export interface BoardMark {
  /** The square as the game's notation names it. */
  at: string;
  /** In -1..1: 1 speaks most for the first side. */
  weight: number;
  /** What stands on it; none: only a sign as large as the weight. */
  text?: string;
  /** Whether it is one of those that matter. */
  ring?: boolean;
}

export interface BoardProps {
  /** The position in the game's notation. */
  position: string;
  /** Who moves: 0 or 1. */
  side: number;
  /** What may be played. */
  legal: Move[];
  /** The last move in the protocol's notation. */
  last: string | null;
  arrows: Arrow[];
  /** Values drawn over the squares. */
  marks?: BoardMark[];
  /** In go: the moves whose numbers stand on the stones. */
  numbers?: string[] | undefined;
  /** What an annotator marked, in go. */
  signs?: Sign[];
  /** In go: moves that were mistakes, with the sign that stands on their stones. */
  faults?: { move: string; sign: string }[] | undefined;
  flipped: boolean;
  /** Whether a person may move now. */
  open: boolean;
  onMove: (move: string) => void;
}

/** Names of colours that stay apart for the colour-blind, best candidate first (Okabe and Ito, 2008). */
export const INK = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"];

/** The best three candidates; each arrow is narrower than those of better candidates. */
export function candidateArrows(lines: FoundLine[]): Arrow[] {
  const total = lines.reduce((sum, line) => sum + line.visits, 0);
  let widest = 1;
  return lines
    .filter((line) => line.pv.length > 0)
    .slice(0, 3)
    .map((line, i) => {
      const share = Math.min(total > 0 ? line.visits / total : 1, widest);
      widest = 0.6 * share;
      return { move: line.pv[0]!.move, rank: i + 1, share };
    });
}

/** The usual start of a game as its notation has it, before the server has told more. Empty: unknown. */
export function startPosition(game: string, rules: string): string {
  const [, columns, rows] = /^(\d+)x(\d+)/.exec(rules) ?? [, "19", "19"];
  // An address may ask for any size; the server says which there are.
  if (game === "go") return Math.max(Number(columns), Number(rows)) > 25 ? "" : Array(Number(rows)).fill(columns).join("/");
  if (rules) return "";
  return { chess: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", shogi: "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1" }[game] ?? "";
}
