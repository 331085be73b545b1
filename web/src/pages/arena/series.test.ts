// What the page of a match makes of its games.
import { expect, test } from "vitest";
import { closed, eloRange, sorted } from "./series";
import type { GameRow } from "./types";

test("the first games of a match made a chart in which nothing else could be seen", () => {
  const games = Array.from({ length: 100 }, (_, i) => i + 1);
  const wide = games.map((n) => 600 / n);
  const series = { games, elo: games.map(() => 4), high: wide.map((w) => 4 + w), low: wide.map((w) => 4 - w), llr: games.map(() => 0) };
  expect(eloRange(closed(series))).toEqual([-40, 50]);
  expect(eloRange([[1], [null], [null], [null]])).toEqual([-10, 10]);
});

test("games are sorted by a column, equal ones by their numbers", () => {
  const row = (game: number, winner: string | null, plies: number) => ({ game, first: "a", second: "b", winner, by: "mate", plies, seconds: 1, fault: null }) as GameRow;
  const rows = [row(3, "b", 50), row(2, null, 9), row(1, "a", 100), row(4, "b", 50)];
  const order = (by: Parameters<typeof sorted>[1], isDown: boolean) => sorted(rows, by, isDown).map(({ game }) => game);
  expect(order("plies", true)).toEqual([1, 3, 4, 2]);
  expect(order("result", false)).toEqual([3, 4, 2, 1]);
  expect(order("game", false)).toEqual([1, 2, 3, 4]);
});
