// Values as the players of each game read them: pawns in chess, whole points (評価値) in shogi, percent in go.
import type { GameNode } from "../../tree";

/** A value in words of hundredths (`+0.35`, `≤-1.20`) or mates (`#5`) as shogi writes it: `+35`, `≤-120`, `#5`. */
const whole = (value: string): string => value.replace(/-?\d+\.\d\d/, (n) => String(Math.round(Number(n) * 100)));

/** A value of the side that moves first; `chance` is its expected result, in 0..1. */
export function valueOf(game: string, value: string, chance: number | null): string {
  if (game === "shogi") return whole(value);
  if (game === "go" && chance !== null && /\d\.\d\d|#/.test(value)) return `${(100 * chance).toFixed(1)}%`;
  return value;
}

/** The value of a node of the game; `isShort`: as little as says it, without a sign. Empty: it has none. */
export function shownValue(game: string, { value, chance }: GameNode, isShort = false): string {
  // A result is no value: the bar is full or empty.
  if (value === null || (isShort && /^[01½]+[-–]/.test(value))) return "";
  // Only chess writes it behind the last move.
  if (game !== "chess" && /^(1-0|0-1|=)$/.test(value)) return "";
  if (!isShort) return valueOf(game, value, chance);
  if (game === "go") return chance === null ? value : String(Math.round(100 * Math.max(chance, 1 - chance)));
  const bare = valueOf(game, value, chance).replace(/[≤≥+-]/g, "");
  return game === "chess" ? bare.replace(/\d+\.\d\d/, (n) => Number(n).toFixed(1)) : bare;
}
