// What a board is given and tells, whatever the game.
import type { Move } from "../api";

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
  flipped: boolean;
  /** Whether a person may move now. */
  open: boolean;
  onMove: (move: string) => void;
}

/** Names of colours that stay apart for the colour-blind, best candidate first (Okabe and Ito, 2008). */
export const INK = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"];
