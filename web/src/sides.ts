// The sides of a game, who is to move, and how a game ended, in the words of its players.
import type { Ended } from "./api";
import { type Key, fixed, t, told } from "./words";

const has = (game: string): boolean => ["chess", "shogi", "go"].includes(game);

/** What players call a side: White, Sente, Black. */
export function sideName(game: string, side: number): string {
  return t((has(game) ? `side_${game}_${side}` : `side_${side}`) as Key);
}

/** `White to move`, `先手番`. */
export function toMove(game: string, side: number): string {
  return t((has(game) ? `to_move_${game}_${side}` : `to_move_${side}`) as Key);
}

/** `Black wins by 3.5 points`, `White wins: mate`, `Draw: repetition`. */
export function endInWords(game: string, { winner, by, points }: Ended): string {
  if (by === "void") return t("end_without_result");
  const why = told("end", by);
  if (winner === null) return t("drawn_by", { by: why });
  const side = sideName(game, winner);
  if (by === "points" && points) return t("win_points", { side, points: fixed(Math.abs(points), points % 1 === 0 ? 0 : 1) });
  return t("win_by", { side, by: why });
}
