// What a new game is asked for, and what follows for the engine.
import type { OptionInfo } from "../../api";
import { type Key, t } from "../../words";
import { isEngine, nameOf } from "../seats/seat";

/** What is chosen for a new game. */
export interface Wanted {
  /** The person's side: 0 or 1; 2: both; 3: none. */
  mine: number;
  family: string;
  /** The number of the time control in `CLOCKS`. */
  clock: number;
  nodes: number;
  /** 0: as strong as it can. */
  elo: number;
  /** Variant of chess, handicap of shogi; empty: the usual rules. */
  variant: string;
  size: number;
  komi: number;
}

export interface Control {
  key: Key;
  fill: Record<string, number>;
  /** Milliseconds a move, of the engine alone. */
  move?: number;
  /** Milliseconds for the game and added by each move, of both sides. */
  clock?: [base: number, increment: number];
}

const perMove = (seconds: number): Control => ({ key: "clock_move", fill: { seconds }, move: seconds * 1000 });
const forGame = (minutes: number, seconds: number): Control => ({ key: "clock_game", fill: { minutes, seconds }, clock: [minutes * 60_000, seconds * 1000] });

export const CLOCKS: Control[] = [perMove(1), perMove(5), perMove(0.2), forGame(1, 1), forGame(3, 2), forGame(10, 5), forGame(30, 20), { key: "clock_nodes", fill: {} }];
export const STRENGTHS = [0, 600, 1000, 1400, 1800, 2200, 2600];

/** What a new game begins with where nothing was chosen before. */
const AT_FIRST: Omit<Wanted, "family"> = { mine: 0, clock: 0, nodes: 5000, elo: 0, variant: "", size: 19, komi: 7.5 };

const kept = (game: string) => `tesuji-new-${game}`;

/** What was chosen last, with the engine that sits at the board and, in go, the size and komi of the board that is there. */
export function wantedAtFirst(game: string, family: string, rules: string): Wanted {
  const [, size] = /^(9|13|19)x\1\b/.exec(rules) ?? [];
  const [, komi] = /komi (-?\d+(?:\.\d+)?)/.exec(rules) ?? [];
  let before: Partial<Wanted> = {};
  try {
    before = JSON.parse(localStorage.getItem(kept(game)) ?? "{}") as Partial<Wanted>;
  } catch {
    // Somebody else wrote there.
  }
  const known = Object.fromEntries(Object.entries(AT_FIRST).map(([key, value]) => {
    const old = before[key as keyof Wanted];
    return [key, typeof old === typeof value ? old : value];
  })) as typeof AT_FIRST;
  const clock = known.clock in CLOCKS ? known.clock : 0;
  return { ...known, clock, family, ...(game === "go" && size && { size: Number(size) }), ...(game === "go" && komi && { komi: Number(komi) }) };
}

/** Keeps what was chosen for the next new game. */
export function keepWanted(game: string, { family: _, ...wanted }: Wanted): void {
  try {
    localStorage.setItem(kept(game), JSON.stringify(wanted));
  } catch {
    // The browser keeps nothing: the next new game begins with the usual choice.
  }
}

/** Whether a search with these options plays as weakly as one likes. */
export const canLimit = (options: OptionInfo[]): boolean => options.some(({ name }) => name === "UCI_Elo");

/** Options that make one game differ from the next, with a seed of their own for each. */
export function seeds(options: OptionInfo[], random = Math.random): Record<string, string> {
  const names = options.map(({ name }) => name).filter((name) => ["Seed", "BookSeed", "Strength Seed"].includes(name));
  return Object.fromEntries(names.map((name) => [name, String(1 + Math.floor(random() * 1e9))]));
}

/** What an engine is called: ours with its search, another one by its name. */
export const engineName = (who: string): string => (isEngine(who) ? nameOf(who) : t("engine_named", { family: who }));

/** Who plays, and the day, as a record keeps them; `sides` are the tags of both sides' names. */
export function tagsOf(game: string, sides: string[] | undefined, { mine, family }: Pick<Wanted, "mine" | "family">, now = new Date()): [string, string][] {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((n) => String(n).padStart(2, "0")).join(game === "shogi" ? "/" : ".");
  const names: [string, string][] = mine === 2 ? [] : (sides ?? []).map((tag, side) => [tag, mine === side ? t("you") : engineName(family)]);
  return [...names, ["Date", day]];
}

/** What the engine may spend on a move with `left` milliseconds on its clock. */
export const budget = (left: number, increment: number): number => Math.max(20, Math.min(left / 25 + increment * 0.7, left * 0.4) - 30);

/** A start of Chess960: bishops on different colours, the king between the rooks. */
export function chess960(random = Math.random): string {
  const rank: string[] = Array(8).fill("");
  const free = () => rank.flatMap((piece, i) => (piece ? [] : [i]));
  const put = (piece: string, places: number[]) => (rank[places[Math.floor(random() * places.length)]!] = piece);
  put("b", [0, 2, 4, 6]);
  put("b", [1, 3, 5, 7]);
  put("q", free());
  put("n", free());
  put("n", free());
  const [left, middle, right] = free();
  [rank[left!], rank[middle!], rank[right!]] = ["r", "k", "r"];
  const files = `${"ABCDEFGH"[right!]}${"ABCDEFGH"[left!]}`;
  const row = rank.join("");
  return `${row}/pppppppp/8/8/8/8/PPPPPPPP/${row.toUpperCase()} w ${files}${files.toLowerCase()} - 0 1`;
}
