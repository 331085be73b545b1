// The course of Elo as a chart draws it.
import type { Series } from "./types";

/** Games, upper end, lower end and Elo; where one of them is infinite, nothing: half an interval says something else. */
export function closed({ games, high, low, elo }: Series): (number | null)[][] {
  const isWhole = games.map((_, i) => [high[i], low[i], elo[i]].every((n) => n !== null && n !== undefined));
  const only = (all: (number | null)[]) => all.map((n, i) => (isWhole[i] ? n : null));
  return [games, only(high), only(low), only(elo)];
}
