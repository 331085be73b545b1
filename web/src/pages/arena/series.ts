// The course of Elo as a chart draws it, and games in the order of a column.
import type { GameRow, Series } from "./types";

/** Games, upper end, lower end and Elo; where one of them is infinite, nothing: half an interval says something else. */
export function closed({ games, high, low, elo }: Series): (number | null)[][] {
  const isWhole = games.map((_, i) => [high[i], low[i], elo[i]].every((n) => n !== null && n !== undefined));
  const only = (all: (number | null)[]) => all.map((n, i) => (isWhole[i] ? n : null));
  return [games, only(high), only(low), only(elo)];
}

/** The part of the games whose course is not looked at for the range: at first an interval is as wide as the page. */
const NOISE = 0.15;
/** Ranges grow by steps of so many Elo, so that a chart does not change with every game. */
const STEP = 10;

/** The range of Elo that is drawn of such data: what the course needs once the noise of its first games is over, with 0 in it. */
export function eloRange([games, high, low]: (number | null)[][]): [number, number] {
  const from = Math.floor(games!.length * NOISE);
  const seen = [...high!.slice(from), ...low!.slice(from)].filter((n): n is number => n !== null);
  const [least, most] = [Math.min(0, ...seen), Math.max(0, ...seen)];
  const range: [number, number] = [Math.floor(least / STEP) * STEP, Math.ceil(most / STEP) * STEP];
  return range[0] === range[1] ? [-STEP, STEP] : range;
}

export type Column = "game" | "first" | "second" | "result" | "by" | "plies" | "seconds";

/** 2 where the first player won, 1 for a draw, 0 where the second did. */
const result = (row: GameRow) => (row.winner === row.first ? 2 : row.winner === row.second ? 0 : 1);

/** The games by a column; games that are equal there stand by their numbers. */
export function sorted(rows: GameRow[], by: Column, isDown: boolean): GameRow[] {
  const value = (row: GameRow): string | number => (by === "result" ? result(row) : row[by]);
  const order = (a: string | number, b: string | number) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  return [...rows].sort((a, b) => (isDown ? -1 : 1) * order(value(a), value(b)) || a.game - b.game);
}
