// A match as its process shows it, and what the server makes of its games.
import { call } from "../../api";
import type { Job } from "../../jobs";

export interface Interval {
  value: number | null;
  low: number | null;
  high: number | null;
}
export interface Counts {
  wins: number;
  draws: number;
  losses: number;
  games: number;
  points: number;
  score: number | null;
  draw_ratio: number | null;
  elo: Interval | null;
  los: number | null;
}
export interface PairCounts {
  counts: [number, number, number, number, number];
  pairs: number;
  elo: Interval | null;
  los: number | null;
}
export interface Test {
  elo0: number;
  elo1: number;
  model: string;
  llr: number;
  low: number;
  high: number;
  accepted: "H0" | "H1" | null;
}
export interface LiveGame {
  game: number;
  players: [number, number];
  position: string | null;
  side: number | null;
  plies: number;
  last: string | null;
  values: [number | null, number | null];
  mates: [number | null, number | null];
  depths: [number, number];
  clocks: [number | null, number | null];
  seconds: number;
}
export interface Used {
  moves: number;
  seconds: number;
  longest: number;
  /** null where its protocol tells none. */
  nodes: number | null;
  depth: number | null;
  overrun: number;
  faults: Record<string, number>;
}
export interface MatchView {
  game: string;
  rules: string;
  players: string[];
  limits: string[];
  jobs: number;
  seed: number;
  openings: number;
  games: number;
  done: number;
  tested: { games: Counts; pairs: PairCounts };
  test: Test | null;
  pairings: { players: [number, number]; games: Counts; pairs: PairCounts }[];
  reasons: Record<string, number>;
  warnings: number;
  /** What makes the result doubtful, in sentences. */
  doubts?: { players: string[]; kind: "idle" | "silent" | "nodes" | "time"; text: string }[];
  used: Used[];
  ratings: unknown;
  left: { low: number; middle: number; high: number } | null;
  live: LiveGame[];
  end: string | null;
}
export interface Series {
  games: number[];
  elo: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  llr: (number | null)[];
}
export interface GameRow {
  game: number;
  first: string;
  second: string;
  winner: string | null;
  by: string;
  plies: number;
  seconds: number;
  fault: { player: string; kind: string; detail: string; last_lines: string[] } | null;
}
export interface GameView {
  row: GameRow;
  game: string;
  place: { rules: string; start: string | null; moves: string[] };
  moves: { move: string; text: string }[];
}
export interface Seat {
  from: "own" | "known" | "command";
  name: string;
  family: string;
  preset: string;
  weights: string;
  known: string;
  command: string;
  options: Record<string, string>;
}

export const arena = {
  engines: () => call<{ name: string; game: string | null }[]>("GET", "/engines"),
  create: (form: unknown) => call<Job>("POST", "/matches", form),
  extend: (id: number, games: number) => call<Job>("POST", `/matches/${id}/extend`, { games }),
  series: (id: number) => call<Series>("GET", `/matches/${id}/series`),
  games: (id: number, skip: number, faults: boolean) =>
    call<{ total: number; games: GameRow[] }>("GET", `/matches/${id}/games?skip=${skip}&faults=${faults}`),
  game: (id: number, n: number) => call<GameView>("GET", `/matches/${id}/games/${n}`),
};

/** Elo of pairs where there are any, else of games. */
export function best(games: Counts, pairs: PairCounts): { elo: Interval | null; los: number | null } {
  return pairs.pairs > 0 ? { elo: pairs.elo, los: pairs.los } : { elo: games.elo, los: games.los };
}

/** A match that works on a fresh clone, without a file and without another engine. */
export const demoMatch = (title: string) =>
  arena.create({
    game: "chess", title, limit: "nodes", amount: "2000", games: 40, concurrency: 2, sprt: [0, 40], seed: 1,
    engines: [{ from: "own", name: "alpha-beta" }, { from: "own", name: "mcts", family: "mcts" }],
  });
