// Values of searches as people read them.
import type { FoundLine } from "./api";

// The server converts values as well, for reviews. The page does it itself because it draws records of thousands of moves, among
// them some that no server has seen (edits that were not saved yet); `twins.test.ts` compares the numbers.

/** Where mates begin among the numbers of values: 32000 is mate on the spot. */
export const MATE = 32000;
export const CP_MAX = 30999;
/** Centipawns that multiply the odds by e. */
export const ODDS_CP = 220;

/** Expected result of a value in hundredths of a pawn, in 0..1. */
const curve = (cp: number): number => 1 / (1 + Math.exp(-cp / ODDS_CP));

/** Expected result for the side to move, in 0..1. */
export function chance(line: FoundLine): number {
  if (line.wdl) {
    const [win = 0, draw = 0] = line.wdl;
    return (win + draw / 2) / 1000;
  }
  if (line.mate !== null) return line.mate > 0 ? 1 : 0;
  return curve(line.cp ?? 0);
}

/** `+0.35`, `#5`, `#-4`, with ≥ or ≤ before bounds; `turn` -1 shows it for the other side. */
export function inWords(line: FoundLine, turn = 1): string {
  // Some engines tell their move alone.
  if (line.cp === null && line.mate === null) return "";
  const sign = { exact: "", lower: turn > 0 ? "≥" : "≤", upper: turn > 0 ? "≤" : "≥" }[line.bound];
  return sign + (line.mate !== null ? mateInWords(line.mate, turn) : cpInWords((line.cp ?? 0) * turn));
}

function mateInWords(plies: number, turn: number): string {
  return `#${plies * turn > 0 ? "" : "-"}${Math.ceil(Math.abs(plies) / 2)}`;
}

function cpInWords(cp: number): string {
  return `${cp > 0 ? "+" : ""}${(cp / 100).toFixed(2)}`;
}

/** Expected result of a record's value, in 0..1. */
export function chanceOf(value: number): number {
  return Math.abs(value) > CP_MAX ? Number(value > 0) : curve(value);
}

/** A record's value as [`inWords`] says it. */
export function valueInWords(value: number): string {
  if (Math.abs(value) <= CP_MAX) return cpInWords(value);
  return mateInWords((MATE - Math.abs(value)) * Math.sign(value) || Math.sign(value), 1);
}
